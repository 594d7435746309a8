--liquibase formatted sql logicalFilePath:ringfence/250-narrow-outbox.sql

--changeset ringfence:250-narrow-weeks splitStatements:false rollbackSplitStatements:false stripComments:false
-- A claim and a publication each write the row of an event anew: what is sent, and its searchable copy, is kept out of line, where
-- neither touches it.
do $$
declare
  was constant text := pg_get_functiondef('ringfence.ensure_partitions(timestamptz, integer)'::regprocedure);
  wide constant text := '(''outbox_events'', ''fillfactor = 80'')';
  narrow constant text := '(''outbox_events'', ''fillfactor = 80, toast_tuple_target = 512'')';
begin
  if strpos(was, wide) = 0 then
    raise exception 'ensure_partitions does not make weeks of the outbox as expected';
  end if;
  execute replace(was, wide, narrow);
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   was constant text := pg_get_functiondef('ringfence.ensure_partitions(timestamptz, integer)'::regprocedure);
--rollback   wide constant text := '(''outbox_events'', ''fillfactor = 80'')';
--rollback   narrow constant text := '(''outbox_events'', ''fillfactor = 80, toast_tuple_target = 512'')';
--rollback begin
--rollback   if strpos(was, narrow) = 0 then
--rollback     raise exception 'ensure_partitions does not make weeks of the outbox as expected';
--rollback   end if;
--rollback   execute replace(was, narrow, wide);
--rollback end
--rollback $$;

--changeset ringfence:250-narrow-present-weeks splitStatements:false rollbackSplitStatements:false stripComments:false
-- The weeks that there are; what they hold stays as it is.
do $$
declare
  week regclass;
begin
  set local lock_timeout = '5s';
  for week in select inhrelid::regclass from pg_inherits where inhparent = 'ringfence.outbox_events'::regclass loop
    execute format('alter table %s set (toast_tuple_target = 512)', week);
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
--rollback     execute format('alter table %s reset (toast_tuple_target)', week);
--rollback   end loop;
--rollback end
--rollback $$;
