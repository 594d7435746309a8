--liquibase formatted sql logicalFilePath:ringfence/260-retention.sql

--changeset ringfence:260-weeks splitStatements:false stripComments:false
-- The ISO weeks of a table with their bounds, as the catalog has them; a partition that is none of these is nobody's to drop.
create function ringfence.weeks(parent text) returns table (leaf regclass, starts timestamptz, ends timestamptz)
language sql
stable
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set datestyle = 'ISO, YMD'
as $$
  select w.leaf, w.starts, w.ends
    from (select c.oid::regclass as leaf,
                 substring(pg_get_expr(c.relpartbound, c.oid) from 'FROM \(''([^'']+)''\)')::timestamptz as starts,
                 substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''\)')::timestamptz as ends
            from pg_inherits i join pg_class c on c.oid = i.inhrelid
           where i.inhparent = (select p.oid from pg_class p
                                 where p.relnamespace = 'ringfence'::regnamespace and p.relname = parent)) w
   where w.starts = date_trunc('week', w.starts) and w.ends = w.starts + interval '7 days'
$$;
revoke all on function ringfence.weeks(text) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.weeks(text);

--changeset ringfence:260-check-horizon splitStatements:false stripComments:false
-- The present week and the last one stay whatever the application asks for: delivery and the clocks of other nodes need them.
create function ringfence.check_horizon(horizon timestamptz) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using
      errcode = 'RF087', message = 'weeks are dropped by a transaction at READ COMMITTED: what is checked under a lock must be what is there then';
  end if;
  if horizon is null or not isfinite(horizon) or horizon >= date_trunc('week', clock_timestamp()) then
    raise exception using
      errcode = 'RF053', message = 'weeks are dropped before an instant of an earlier week only';
  end if;
end
$$;
revoke all on function ringfence.check_horizon(timestamptz) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.check_horizon(timestamptz);

--changeset ringfence:260-take-turn splitStatements:false stripComments:false
-- Nodes take turns, with ensure_partitions too. Who comes second, or finds the week gone, does not wait: 55P03, as for any lock.
create function ringfence.take_turn(leaf regclass) returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  if not pg_try_advisory_xact_lock(1380535879, 1) or not exists (select from pg_class c where c.oid = leaf) then
    raise exception using errcode = '55P03', message = 'another node is changing the weeks';
  end if;
end
$$;
revoke all on function ringfence.take_turn(regclass) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.take_turn(regclass);

--changeset ringfence:260-note-drop splitStatements:false stripComments:false
-- What is destroyed leaves a trace, in the same transaction.
create function ringfence.note_drop(what text, week text, horizon timestamptz) returns void
language sql
set search_path = pg_catalog, pg_temp
as $$
  insert into ringfence.audit_log (at, actor, action, target, detail)
  values (clock_timestamp(), 'retention', 'retention.drop', week, jsonb_build_object('dropped', what, 'horizon', horizon))
$$;
revoke all on function ringfence.note_drop(text, text, timestamptz) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.note_drop(text, text, timestamptz);

--changeset ringfence:260-holds-keys splitStatements:false stripComments:false
-- Whether a delivery of the week holds its key (onDead BLOCK). Looked up one by one, whatever the statistics say.
create function ringfence.holds_keys(leaf regclass) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  held boolean := false;
begin
  if leaf is not null then
    execute format('select exists (select from ringfence.order_blocks b,'
      ' lateral (select from %s d where d.id = b.delivery_id limit 1) x)', leaf) into held;
  end if;
  return held;
end
$$;
revoke all on function ringfence.holds_keys(regclass) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.holds_keys(regclass);

--changeset ringfence:260-events-open splitStatements:false stripComments:false
-- Whether an event of the week is not over. By small indexes only, as it is asked while everybody waits.
create function ringfence.events_open(leaf regclass) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  open boolean;
begin
  execute format('select exists (select from %1$s e where e.status in (''PENDING'', ''FAILED_RETRYABLE''))'
    ' or exists (select from %1$s e where e.status = ''CLAIMED'')', leaf) into open;
  return open;
end
$$;
revoke all on function ringfence.events_open(regclass) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.events_open(regclass);

--changeset ringfence:260-events-referred splitStatements:false stripComments:false
-- Whether a delivery that is kept may be of one of the week's events, see drop_events_week. Takes a few look-ups for each event name.
create function ringfence.events_referred(leaf regclass) returns boolean
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
  kept constant tstzmultirange := (select range_agg(tstzrange(w.starts, w.ends)) from ringfence.weeks('deliveries_finished') w);
  referred boolean;
begin
  execute format('with recursive names as (
      (select e.event_name from %1$s e where e.status = ''PUBLISHED'' order by e.event_name limit 1)
      union all
      select n.event_name from names p, lateral (
        select e.event_name from %1$s e where e.status = ''PUBLISHED'' and e.event_name > p.event_name
         order by e.event_name limit 1) n)
    select exists (
      select from names n, unnest($1) span, lateral (
        select from %1$s e
         where e.status = ''PUBLISHED'' and e.event_name = n.event_name
           and e.published_at >= lower(span) and e.published_at < upper(span) limit 1) x)', leaf)
    into referred using kept;
  return referred;
end
$$;
revoke all on function ringfence.events_referred(regclass) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.events_referred(regclass);

--changeset ringfence:260-drop-deliveries-week splitStatements:false stripComments:false
-- RT-1: drops the oldest week of finished deliveries, with its attempts, that ended at or before the horizon and that nothing needs.
-- Returns its name, or null and, of at most a hundred weeks, why they are kept:
--
--   LIVE_DELIVERIES  one that was created in the week is not finished: it will have to move there
--   BLOCKED_KEYS     a dead one holds its key until an operator decides (onDead BLOCK)
--   FINISHED_LATELY  one ended after the horizon: it was paused, or sent again by an operator, and is kept as long as others after its end
--
-- The long looks, at what is live and at what ended late, are taken without a lock. Then nothing may leave the week (retries, replays and erasures wait for that,
-- delivery does not, as its statements are about live rows), and what was found is looked up once more. Only then the tables are locked, in the
-- order in which a receipt takes them, each for 150 ms at most: what is under way ends first, what comes waits behind that long. Whoever
-- holds a table longer wins; this then ends with 55P03, having changed nothing, and is called again later.
create function ringfence.drop_deliveries_week(horizon timestamptz, out dropped text, out kept text[])
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set lock_timeout = '150ms'
as $$
declare
  week record;
  live timestamptz[];
  needed boolean := false;
begin
  perform ringfence.check_horizon(horizon);
  kept := '{}';
  if not exists (select from ringfence.weeks('deliveries_finished') w where w.ends <= horizon)
      and not exists (select from ringfence.weeks('delivery_attempts') w where w.ends <= horizon) then
    return;
  end if;
  live := array(select distinct date_trunc('week', d.created_at) from ringfence.deliveries_live d where d.created_at < horizon);
  for week in
    select starts, ends, to_char(starts, 'IYYY"w"IW') as name, f.leaf as finished, a.leaf as attempts
      from ringfence.weeks('deliveries_finished') f full join ringfence.weeks('delivery_attempts') a using (starts, ends)
     where ends <= horizon
     order by starts
  loop
    if week.starts = any (live) then
      kept := kept || (week.name || ' LIVE_DELIVERIES');
      continue;
    end if;
    if ringfence.holds_keys(week.finished) then
      kept := kept || (week.name || ' BLOCKED_KEYS');
      continue;
    end if;
    if week.finished is not null then
      execute format('select exists (select from %s d where d.finished_at >= $1)', week.finished) into needed using horizon;
      if needed then
        kept := kept || (week.name || ' FINISHED_LATELY');
        continue;
      end if;
    end if;

    perform ringfence.take_turn(coalesce(week.finished, week.attempts));
    if week.finished is not null then
      execute format('lock table only %s in share mode', week.finished);
    end if;
    perform from ringfence.deliveries_live d where d.created_at >= week.starts and d.created_at < week.ends limit 1;
    needed := found;
    if not needed then
      lock table only ringfence.delivery_attempts in access exclusive mode;
      lock table only ringfence.deliveries_finished in access exclusive mode;
      -- who wants these has the tables first, so there is nobody to wait for but vacuum, and not for long while all wait
      execute format('lock table only %s in access exclusive mode nowait', concat_ws(', only ', week.attempts, week.finished));
      needed := ringfence.holds_keys(week.finished);
    end if;
    if needed then
      raise exception using errcode = '55P03', message = 'an operator needs the week at this moment';
    end if;
    execute format('drop table %s', concat_ws(', ', week.attempts, week.finished));
    perform ringfence.note_drop('deliveries and attempts', week.name, horizon);
    dropped := week.name;
    exit;
  end loop;
  kept := kept[1:100];
end
$$;
revoke all on function ringfence.drop_deliveries_week(timestamptz) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.drop_deliveries_week(timestamptz);

--changeset ringfence:260-drop-events-week splitStatements:false stripComments:false
-- RT-1: drops the oldest week of events that ended at or before the horizon and that nothing needs, as drop_deliveries_week; kept are
--
--   OPEN_EVENTS        of one that is not over: PENDING, CLAIMED, FAILED_RETRYABLE
--   KEPT_DELIVERIES    of one that a kept delivery may send, now or when an operator retries it
--
-- The transaction that publishes an event creates its deliveries, with the same time: so those of the week's events are in the weeks of
-- the times at which these were published, and where none of those weeks is kept, none of the deliveries is (one that is live keeps its
-- week). That is asked of an index, name by name; the deliveries have none by event, and it would cost each of them. It is
-- asked before the lock, and under it once more: a dead one may have been published after all meanwhile.
create function ringfence.drop_events_week(horizon timestamptz, out dropped text, out kept text[])
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set lock_timeout = '150ms'
as $$
declare
  week record;
begin
  perform ringfence.check_horizon(horizon);
  kept := '{}';
  for week in
    select w.leaf, to_char(w.starts, 'IYYY"w"IW') as name from ringfence.weeks('outbox_events') w
     where w.ends <= horizon
     order by w.starts
  loop
    if ringfence.events_open(week.leaf) then
      kept := kept || (week.name || ' OPEN_EVENTS');
      continue;
    end if;
    if ringfence.events_referred(week.leaf) then
      kept := kept || (week.name || ' KEPT_DELIVERIES');
      continue;
    end if;

    perform ringfence.take_turn(week.leaf);
    lock table only ringfence.outbox_events in access exclusive mode;
    execute format('lock table only %s in access exclusive mode nowait', week.leaf);
    if ringfence.events_open(week.leaf) or ringfence.events_referred(week.leaf) then
      raise exception using errcode = '55P03', message = 'an operator needs the week at this moment';
    end if;
    execute format('drop table %s', week.leaf);
    perform ringfence.note_drop('events', week.name, horizon);
    dropped := week.name;
    exit;
  end loop;
  kept := kept[1:100];
end
$$;
revoke all on function ringfence.drop_events_week(timestamptz) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.drop_events_week(timestamptz);
