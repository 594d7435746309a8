--liquibase formatted sql logicalFilePath:ringfence/251-cheaper-rows.sql

--changeset ringfence:251-lz4-parents splitStatements:false rollbackSplitStatements:false stripComments:false
-- What is sent, and its searchable copy, are compressed with LZ4 where the server was built with it: half the time of PostgreSQL's own method at
-- the same size (docs/benchmarks.md). New weeks take over what their parent says.
do $$
declare
  was constant text := pg_get_functiondef('ringfence.add_week(text, text, timestamp, text)'::regprocedure);
  before constant text := 'including constraints including storage';
begin
  set local lock_timeout = '5s';
  if strpos(was, before || ')') = 0 then
    raise exception 'add_week does not make weeks as expected';
  end if;
  execute replace(was, before || ')', before || ' including compression)');
  if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
    alter table only ringfence.outbox_events alter column payload set compression lz4, alter column payload_bytes set compression lz4;
  end if;
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   was constant text := pg_get_functiondef('ringfence.add_week(text, text, timestamp, text)'::regprocedure);
--rollback   before constant text := 'including constraints including storage';
--rollback begin
--rollback   if strpos(was, before || ' including compression)') = 0 then
--rollback     raise exception 'add_week does not make weeks as expected';
--rollback   end if;
--rollback   execute replace(was, before || ' including compression)', before || ')');
--rollback   alter table only ringfence.outbox_events alter column payload set compression default, alter column payload_bytes set compression default;
--rollback end
--rollback $$;

--changeset ringfence:251-lz4-present-weeks splitStatements:false rollbackSplitStatements:false stripComments:false
-- The weeks that recording still fills; what they hold stays as it is. The table first, as every statement takes it.
do $$
declare
  week regclass;
begin
  set local lock_timeout = '5s';
  if not exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
    return;
  end if;
  lock table only ringfence.outbox_events in access exclusive mode;
  for week in
    select c.oid::regclass from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'ringfence.outbox_events'::regclass
       and c.relname >= 'outbox_events_' || to_char(clock_timestamp() at time zone 'UTC' - interval '7 days', 'IYYY"w"IW')
     order by c.relname
  loop
    execute format('alter table %s alter column payload set compression lz4, alter column payload_bytes set compression lz4', week);
  end loop;
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   week regclass;
--rollback begin
--rollback   set local lock_timeout = '5s';
--rollback   for week in select inhrelid::regclass from pg_inherits where inhparent = 'ringfence.outbox_events'::regclass loop
--rollback     execute format('alter table %s alter column payload set compression default, alter column payload_bytes set compression default', week);
--rollback   end loop;
--rollback end
--rollback $$;
