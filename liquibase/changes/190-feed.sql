--liquibase formatted sql logicalFilePath:ringfence/190-feed.sql

--changeset ringfence:190-feed-cursors splitStatements:false stripComments:false
-- PL-1: how far the reader of a PULL subscription is. Apart from the subscription, whose row would be written anew with each page. The
-- generation is part of every cursor that is given out (PL-2): another one makes all of them stale. Goes with its subscription.
create table ringfence.feed_cursors (
  subscription_id uuid primary key references ringfence.subscriptions on delete cascade,
  tenant_id bigint not null,
  generation uuid not null default gen_random_uuid(),
  xid xid8 not null default '0',
  delivery_id bigint not null default 0,
  updated_at timestamptz not null
) with (fillfactor = 50);
create index feed_cursors_tenant on ringfence.feed_cursors (tenant_id);
create trigger feed_cursors_forward
  before update on ringfence.feed_cursors
  for each row
  when (new.subscription_id <> old.subscription_id or new.tenant_id <> old.tenant_id
    or (new.generation = old.generation and (new.xid, new.delivery_id) < (old.xid, old.delivery_id)))
  execute function ringfence.refuse('RF035', 'the cursor of a feed only moves forward', 'subscription_id');
create function ringfence.open_feed() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  insert into ringfence.feed_cursors (subscription_id, tenant_id, updated_at) values (new.id, new.tenant_id, new.created_at);
  return null;
end
$$;
create trigger subscriptions_feed
  after insert on ringfence.subscriptions
  for each row
  when (new.mode = 'PULL')
  execute function ringfence.open_feed();
--rollback select ringfence.refuse_rollback();
--rollback drop trigger subscriptions_feed on ringfence.subscriptions;
--rollback drop function ringfence.open_feed();
--rollback drop table ringfence.feed_cursors;

--changeset ringfence:190-feed-positions splitStatements:false stripComments:false
-- PL-2: the place of a waiting delivery in its feed is the transaction that put it there, and then its number. Readers see only what lies
-- below the oldest running transaction, so that whatever commits later comes later. A delivery that an operator puts back moves to the
-- hot partition as an INSERT and gets a new place by this very trigger.
alter table ringfence.deliveries add column feed_xid xid8;
create function ringfence.place_in_feed() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  new.feed_xid := pg_current_xact_id();
  -- nobody sends it, so it is never due, and never too old to be sent
  new.next_attempt_at := null;
  return new;
end
$$;
create trigger deliveries_feed
  before insert on ringfence.deliveries
  for each row
  when (new.mode = 'PULL' and new.state = 'pending')
  execute function ringfence.place_in_feed();
create index deliveries_live_feed on ringfence.deliveries_live (subscription_id, feed_xid, id) where mode = 'PULL';
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.deliveries_live_feed;
--rollback drop trigger deliveries_feed on ringfence.deliveries;
--rollback drop function ringfence.place_in_feed();
--rollback alter table ringfence.deliveries drop column feed_xid;

--changeset ringfence:190-feed-guards
-- DL-1: delivered without an attempt is what a cursor covered, and nothing else; what a reader fetches has no attempts.
create trigger deliveries_pulled
  before update of state, reservation_id, attempts on ringfence.deliveries
  for each row
  when ((new.mode = 'PULL' and (new.state in ('retrying', 'dead') or new.reservation_id is not null or new.attempts > 0))
    or (new.mode <> 'PULL' and new.state = 'delivered' and old.state <> 'delivered' and new.cycle_attempts = 0))
  execute function ringfence.refuse('RF028', 'without an attempt only a cursor delivers, and what it delivers has none',
    'id', 'mode', 'state', 'cycle_attempts');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_pulled on ringfence.deliveries;

--changeset ringfence:190-rotate-feeds splitStatements:false stripComments:false
-- PL-2: for whoever restored this database, moved it to another cluster by a dump, or lost commits in a failover. Makes every cursor that
-- was given out stale and puts what waits into its feed anew, as the transaction ids of before mean nothing here. To be called as the
-- schema's owner, before the application starts. Returns how many deliveries wait.
create function ringfence.rotate_feeds() returns bigint
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  waiting bigint;
begin
  lock table ringfence.feed_cursors in share row exclusive mode;
  update ringfence.feed_cursors
     set generation = gen_random_uuid(), xid = '0', delivery_id = 0, updated_at = clock_timestamp();
  update ringfence.deliveries_live set feed_xid = pg_current_xact_id() where mode = 'PULL';
  get diagnostics waiting = row_count;
  return waiting;
end
$$;
revoke all on function ringfence.rotate_feeds() from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.rotate_feeds();

--changeset ringfence:190-record-event-queue splitStatements:false rollbackSplitStatements:false stripComments:false
-- RC-10: record_event counts what waits to be sent, and no longer reads past what waits to be fetched, which may be much. Only this
-- condition of the function changes.
do $$
declare
  was constant text := pg_get_functiondef(
    'ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb)'::regprocedure);
  counted constant text := E'(select from ringfence.deliveries_live d\n'
    '        where d.tenant_id = life.tenant_id and d.state in (''pending'', ''retrying'') and d.mode = ''PUSH''\n'
    '        limit most_waiting) as waiting';
  counts constant text := E'(select from ringfence.subscriptions s cross join lateral (\n'
    '          select from ringfence.deliveries_live d\n'
    '           where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.state in (''pending'', ''retrying'')\n'
    '           limit most_waiting) w\n'
    '        where s.tenant_id = life.tenant_id and s.mode <> ''PULL''\n'
    '        limit most_waiting) as waiting';
begin
  if strpos(was, counted) = 0 then
    raise exception 'record_event does not count what waits as expected';
  end if;
  execute replace(was, counted, counts);
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   was constant text := pg_get_functiondef(
--rollback     'ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb)'::regprocedure);
--rollback   counted constant text := E'(select from ringfence.deliveries_live d\n'
--rollback     '        where d.tenant_id = life.tenant_id and d.state in (''pending'', ''retrying'') and d.mode = ''PUSH''\n'
--rollback     '        limit most_waiting) as waiting';
--rollback   counts constant text := E'(select from ringfence.subscriptions s cross join lateral (\n'
--rollback     '          select from ringfence.deliveries_live d\n'
--rollback     '           where d.tenant_id = s.tenant_id and d.subscription_id = s.id and d.state in (''pending'', ''retrying'')\n'
--rollback     '           limit most_waiting) w\n'
--rollback     '        where s.tenant_id = life.tenant_id and s.mode <> ''PULL''\n'
--rollback     '        limit most_waiting) as waiting';
--rollback begin
--rollback   if strpos(was, counts) = 0 then
--rollback     raise exception 'record_event does not count what waits as expected';
--rollback   end if;
--rollback   execute replace(was, counts, counted);
--rollback end
--rollback $$;

--changeset ringfence:190-redact-tenant splitStatements:false rollbackSplitStatements:false stripComments:false
-- RD-1: the fencing statement does not move what waits to be fetched, which may be much more than what may wait to be sent. Nothing of it
-- is shown once the tenant is not active, and the erasure deletes it where it stands. Only this condition of the function changes.
do $$
declare
  was constant text := pg_get_functiondef('ringfence.redact_tenant(uuid, uuid, interval)'::regprocedure);
  moved constant text := 'where d.tenant_id = fenced.tenant_id and d.state in (''pending'', ''retrying'');';
  moves constant text := 'where d.tenant_id = fenced.tenant_id and d.state in (''pending'', ''retrying'') and d.mode <> ''PULL'';';
begin
  if strpos(was, moved) = 0 then
    raise exception 'redact_tenant does not move what waits as expected';
  end if;
  execute replace(was, moved, moves);
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   was constant text := pg_get_functiondef('ringfence.redact_tenant(uuid, uuid, interval)'::regprocedure);
--rollback   moved constant text := 'where d.tenant_id = fenced.tenant_id and d.state in (''pending'', ''retrying'');';
--rollback   moves constant text := 'where d.tenant_id = fenced.tenant_id and d.state in (''pending'', ''retrying'') and d.mode <> ''PULL'';';
--rollback begin
--rollback   if strpos(was, moves) = 0 then
--rollback     raise exception 'redact_tenant does not move what waits as expected';
--rollback   end if;
--rollback   execute replace(was, moves, moved);
--rollback end
--rollback $$;
