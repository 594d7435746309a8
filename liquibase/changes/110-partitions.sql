--liquibase formatted sql logicalFilePath:ringfence/110-partitions.sql

--changeset ringfence:110-add-week splitStatements:false stripComments:false
-- Adds the partition of one ISO week to a table. CREATE + ATTACH instead of PARTITION OF: that locks the table only
-- against other changes of its shape, so recording and delivery go on.
create function ringfence.add_week(parent text, leaf text, week timestamp, storage text) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  deliveries constant boolean := parent = 'deliveries_finished';
begin
  execute format('create table ringfence.%I (like ringfence.%I including defaults including generated'
    ' including constraints including storage) with (%s)', leaf, parent, storage);
  execute format('alter table ringfence.%I attach partition ringfence.%I for values from (%L) to (%L)', parent, leaf,
    to_char(week, 'YYYY-MM-DD') || ' 00:00:00+00', to_char(week + interval '7 days', 'YYYY-MM-DD') || ' 00:00:00+00');
  if deliveries then
    execute format('alter table ringfence.%I add primary key (id)', leaf);
    execute format('create trigger %I before insert on ringfence.%I for each statement'
      ' execute function ringfence.refuse(%L, %L)', leaf || '_through_parent', leaf,
      'RF051', 'deliveries are inserted through ringfence.deliveries');
  end if;
  execute format('create trigger %I before delete or truncate on ringfence.%I for each statement'
    ' when (current_setting(''ringfence.erasure'', true) is distinct from ''on'')'
    ' execute function ringfence.refuse(%L, %L)', leaf || '_erasure_only', leaf,
    'RF050', 'rows are deleted by erasure and retention only');
end
$$;
revoke all on function ringfence.add_week(text, text, timestamp, text) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.add_week(text, text, timestamp, text);

--changeset ringfence:110-ensure-partitions splitStatements:false stripComments:false
-- Makes sure that the partitions of so many ISO weeks (Monday 00:00 UTC), beginning with the week of start_at, exist.
-- Returns how many it made. Runs as the schema's owner, so the application needs no right to make tables.
-- Any number of nodes may call it at once: they take turns; all waits are bounded.
create function ringfence.ensure_partitions(start_at timestamptz, weeks integer) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set lock_timeout = '5s'
as $$
declare
  missing record;
  made integer := 0;
begin
  if start_at is null or not isfinite(start_at) or weeks is null or weeks not between 1 and 104 then
    raise exception using
      errcode = 'RF052', message = 'ensure_partitions needs an instant and 1 to 104 weeks';
  end if;
  -- The first look takes no lock; it is the only one on every call but a few a week.
  for pass in 1 .. 2 loop
    for missing in
      select t.parent, t.storage, w.week, t.parent || to_char(w.week, '"_"IYYY"w"IW') as leaf
        from (select date_trunc('week', start_at at time zone 'UTC') + n * interval '7 days' as week
                from generate_series(0, weeks - 1) as n) as w
       cross join (values
         ('outbox_events', 'fillfactor = 80'),
         ('deliveries_finished', 'fillfactor = 100'),
         ('delivery_attempts', 'fillfactor = 60')) as t (parent, storage)
       -- a query and not to_regclass, whose answer is cached: what another node committed meanwhile must be seen
       where not exists (select from pg_class as c
                where c.relnamespace = 'ringfence'::regnamespace
                  and c.relname = t.parent || to_char(w.week, '"_"IYYY"w"IW'))
       order by w.week, t.parent
    loop
      if pass = 1 then
        -- 'RING', 1: two-key space, apart from the fences' one-key space
        perform pg_advisory_xact_lock(1380535879, 1);
        exit;
      end if;
      perform ringfence.add_week(missing.parent, missing.leaf, missing.week, missing.storage);
      made := made + 1;
    end loop;
    exit when not found;
  end loop;
  return made;
end
$$;
revoke all on function ringfence.ensure_partitions(timestamptz, integer) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.ensure_partitions(timestamptz, integer);
