--liquibase formatted sql logicalFilePath:ringfence/130-redaction.sql

--changeset ringfence:130-redactions
-- RD-2: a redaction and how far it is. The tenant is named by its hash; the clear name stays only as long as the remote erasure
-- may still have to tell it.
create table ringfence.redactions (
  id uuid primary key,
  app_id uuid not null references ringfence.apps,
  tenant_hash bytea not null check (octet_length(tenant_hash) = 32),
  tenant text,
  -- known from the fencing transaction on
  tenant_id bigint,
  -- the epoch that the fencing transaction ended; null where the tenant was unknown
  epoch_before uuid,
  boundary timestamptz,
  remote_erasure boolean not null,
  status text not null check (status in ('RUNNING', 'WAITING', 'DONE', 'FAILED')),
  requested_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  -- when the next step is due, and who does it until when
  next_at timestamptz not null,
  locked_by text,
  locked_until timestamptz,
  constraint redactions_fenced check ((tenant_id is null) = (boundary is null)),
  constraint redactions_finished check ((status = 'DONE') = (finished_at is not null)),
  constraint redactions_forgets check (status <> 'DONE' or (tenant is null and boundary is not null))
);
-- At most one that is not done, so that a repeated call finds it (RD-3).
create unique index redactions_unfinished on ringfence.redactions (app_id, tenant_hash) where status <> 'DONE';
create index redactions_tenant on ringfence.redactions (tenant_id) where tenant_id is not null;
create index redactions_due on ringfence.redactions (next_at) where status in ('RUNNING', 'WAITING');
create table ringfence.redaction_stages (
  redaction_id uuid not null references ringfence.redactions,
  stage text not null check (stage in ('CANCEL', 'FENCE', 'DRAIN', 'ERASE', 'REMOTE_ERASE', 'VERIFY')),
  position integer not null,
  status text not null check (status in ('PENDING', 'RUNNING', 'DONE', 'SKIPPED', 'FAILED')),
  attempts integer not null default 0,
  -- why the last attempt did not finish
  code text,
  updated_at timestamptz not null,
  primary key (redaction_id, stage)
);
-- AT-8: an attempt whose remote end is unknown, kept past the erasure of everything else.
create table ringfence.unresolved_markers (
  reservation_id uuid primary key,
  redaction_id uuid not null references ringfence.redactions,
  app_id uuid not null,
  tenant_id bigint not null,
  event_id text not null,
  body_sha256 bytea,
  started_at timestamptz not null,
  epoch uuid not null,
  finding text check (finding in ('ABSENT', 'ERASED', 'PRESENT')),
  resolved_at timestamptz,
  resolved_by text,
  -- an answer that came when the attempt's row was already closed or gone: history only
  late_state text,
  late_status integer,
  late_at timestamptz,
  constraint unresolved_markers_resolved check ((resolved_at is not null) = (finding is not null and finding <> 'PRESENT')),
  constraint unresolved_markers_resolver check ((resolved_at is null) = (resolved_by is null))
);
create index unresolved_markers_redaction on ringfence.unresolved_markers (redaction_id, started_at, reservation_id);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.unresolved_markers;
--rollback drop table ringfence.redaction_stages;
--rollback drop table ringfence.redactions;

--changeset ringfence:130-app-cancellations
-- RT-2: work of a disabled application that is still to be cancelled.
create table ringfence.app_cancellations (
  app_id uuid primary key references ringfence.apps,
  disabled_at timestamptz not null,
  -- the last transaction that may not have seen the change: what it began, it may still commit
  barrier xid8 not null,
  cancelled bigint not null default 0,
  finished_at timestamptz
);
create index app_cancellations_open on ringfence.app_cancellations (disabled_at) where finished_at is null;
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.app_cancellations;

--changeset ringfence:130-tenant-indexes
-- To find what is a tenant's without reading what is everybody's. No column of them is ever updated, so updates stay cheap.
-- The keys without a dedupe key join the index that is there: one index, which now finds every key of a tenant.
drop index ringfence.event_keys_dedupe;
create unique index event_keys_dedupe on ringfence.event_keys (tenant_id, epoch, dedupe_key);
create index delivery_attempts_tenant on ringfence.delivery_attempts (tenant_id);
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.delivery_attempts_tenant;
--rollback drop index ringfence.event_keys_dedupe;
--rollback create unique index event_keys_dedupe on ringfence.event_keys (tenant_id, epoch, dedupe_key)
--rollback   where dedupe_key is not null;

--changeset ringfence:130-redaction-guards
create trigger redactions_fixed
  before update of id, app_id, tenant_hash, tenant, tenant_id, epoch_before, boundary, remote_erasure, requested_at
  on ringfence.redactions
  for each row
  when (new.id <> old.id or new.app_id <> old.app_id or new.tenant_hash <> old.tenant_hash
    or new.requested_at <> old.requested_at
    -- forgotten once, never learned again
    or (new.tenant is distinct from old.tenant and new.tenant is not null)
    or (old.boundary is not null and (new.boundary is distinct from old.boundary
      or new.tenant_id is distinct from old.tenant_id or new.epoch_before is distinct from old.epoch_before))
    -- an operator may give the remote erasure up, nobody may add it afterwards
    or (new.remote_erasure and not old.remote_erasure))
  execute function ringfence.refuse('RF060', 'what a redaction is of never changes', 'id');
create trigger redactions_moves
  before update of status, finished_at on ringfence.redactions
  for each row
  when ((old.status = 'DONE' and (new.status <> 'DONE' or new.finished_at is distinct from old.finished_at))
    or (old.status = 'FAILED' and new.status not in ('FAILED', 'RUNNING')))
  execute function ringfence.refuse('RF061', 'no such move of a redaction', 'id', 'status');
create trigger redactions_kept
  before delete or truncate on ringfence.redactions
  for each statement
  execute function ringfence.refuse('RF064', 'redactions, their stages and markers are kept');
create trigger redaction_stages_moves
  before update on ringfence.redaction_stages
  for each row
  when (new.redaction_id <> old.redaction_id or new.stage <> old.stage or new.position <> old.position
    or new.attempts < old.attempts
    or (new.status <> old.status and not (
         (old.status = 'PENDING' and new.status in ('RUNNING', 'DONE'))
      or (old.status = 'RUNNING' and new.status in ('PENDING', 'DONE', 'SKIPPED', 'FAILED'))
      or (old.status = 'FAILED' and new.status = 'PENDING')
      -- the search found something that the erasure left
      or (old.status = 'DONE' and new.status = 'PENDING' and old.stage = 'ERASE'))))
  execute function ringfence.refuse('RF062', 'no such move of a stage', 'redaction_id', 'stage', 'status', 'attempts');
create trigger redaction_stages_kept
  before delete or truncate on ringfence.redaction_stages
  for each statement
  execute function ringfence.refuse('RF064', 'redactions, their stages and markers are kept');
create trigger unresolved_markers_fixed
  before update on ringfence.unresolved_markers
  for each row
  when (new.reservation_id <> old.reservation_id or new.redaction_id <> old.redaction_id or new.app_id <> old.app_id
    or new.tenant_id <> old.tenant_id or new.event_id <> old.event_id
    or new.body_sha256 is distinct from old.body_sha256 or new.started_at <> old.started_at or new.epoch <> old.epoch
    or (old.resolved_at is not null and (new.resolved_at is distinct from old.resolved_at
      or new.finding is distinct from old.finding or new.resolved_by is distinct from old.resolved_by))
    or (old.late_at is not null and (new.late_at is distinct from old.late_at
      or new.late_state is distinct from old.late_state or new.late_status is distinct from old.late_status)))
  execute function ringfence.refuse('RF063', 'a marker is resolved once and takes one late answer', 'reservation_id');
create trigger unresolved_markers_kept
  before delete or truncate on ringfence.unresolved_markers
  for each statement
  execute function ringfence.refuse('RF064', 'redactions, their stages and markers are kept');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger unresolved_markers_kept on ringfence.unresolved_markers;
--rollback drop trigger unresolved_markers_fixed on ringfence.unresolved_markers;
--rollback drop trigger redaction_stages_kept on ringfence.redaction_stages;
--rollback drop trigger redaction_stages_moves on ringfence.redaction_stages;
--rollback drop trigger redactions_kept on ringfence.redactions;
--rollback drop trigger redactions_moves on ringfence.redactions;
--rollback drop trigger redactions_fixed on ringfence.redactions;

--changeset ringfence:130-mark-unresolved splitStatements:false stripComments:false
-- RD-1: a marker for each attempt of the tenant, or of these deliveries, that is in one of the states and has none yet; at most so many.
-- Returns how many were made. Planned for what it is asked: a chunk of deliveries must be found by their ids, as a plan that serves
-- both questions would read all attempts of the tenant with each chunk.
create function ringfence.mark_unresolved(redaction uuid, subject bigint, delivery_ids bigint[], states text[], most integer)
returns integer
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  marked integer;
begin
  execute format($insert$
    insert into ringfence.unresolved_markers
      (reservation_id, redaction_id, app_id, tenant_id, event_id, body_sha256, started_at, epoch)
    select a.reservation_id, $1, d.app_id, a.tenant_id, d.event_id, coalesce(d.body_sha256, e.payload_sha256), a.started_at, d.epoch
      from ringfence.delivery_attempts a
      join ringfence.deliveries d on d.id = a.delivery_id and d.created_at = a.delivery_created_at
      left join ringfence.outbox_events e on e.ordinal = d.event_ordinal and e.recorded_at = d.event_recorded_at
     where %s and a.state = any ($4)
       and not exists (select from ringfence.unresolved_markers m where m.reservation_id = a.reservation_id)
     limit $5
        on conflict (reservation_id) do nothing$insert$,
    case when delivery_ids is null then 'a.tenant_id = $2' else 'a.delivery_id = any ($3)' end)
    using redaction, subject, delivery_ids, states, most;
  get diagnostics marked = row_count;
  return marked;
end
$$;
revoke all on function ringfence.mark_unresolved(uuid, bigint, bigint[], text[], integer) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.mark_unresolved(uuid, bigint, bigint[], text[], integer);

--changeset ringfence:130-settings-lock splitStatements:false stripComments:false
-- One half of the key of the advisory lock by which a save of an unknown tenant's settings and its redaction exclude each other. In
-- the key space of two integers, so never a fence: saves take none (RC-2).
create function ringfence.settings_lock(tenant_hash bytea, half integer) returns integer
language sql
immutable
set search_path = pg_catalog, pg_temp
as $$
  select ('x' || encode(substr(tenant_hash, 9 + 4 * half, 4), 'hex'))::bit(32)::integer
$$;
revoke all on function ringfence.settings_lock(bytea, integer) from public;
--rollback drop function ringfence.settings_lock(bytea, integer);

--changeset ringfence:130-redact-tenant splitStatements:false stripComments:false
-- The fencing transaction (RD-1 d), as one statement on the session that holds the tenant's fence: if that session dies, this
-- dies with it, so nobody can have had the fence in between. Returns null when the tenant is fenced (now or before), or the
-- moment until which an open reservation may still send (RD-5), or until which markers were made of a history that is too long for
-- one statement: the tenant was not touched then, ask again, holding the fence.
create function ringfence.redact_tenant(redaction uuid, new_epoch uuid, margin interval) returns timestamptz
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
declare
  asked ringfence.redactions%rowtype;
  was ringfence.tenant_lifecycle%rowtype;
  fenced ringfence.tenant_lifecycle%rowtype;
  fence bigint;
  open_until timestamptz;
  moment timestamptz;
  most_markers constant integer := 50000;
begin
  select * into asked from ringfence.redactions r where r.id = redaction for update;
  if not found or asked.status in ('DONE', 'FAILED') then
    raise exception using errcode = 'RF065', message = 'there is no such redaction under way';
  end if;
  if asked.boundary is not null then
    return null;
  end if;
  fence := ('x' || encode(substr(asked.tenant_hash, 1, 8), 'hex'))::bit(64)::bigint;
  if not exists (select from pg_locks l
                  where l.locktype = 'advisory' and l.pid = pg_backend_pid() and l.granted and l.mode = 'ExclusiveLock'
                    and l.objsubid = 1 and (l.classid::bigint << 32 | l.objid::bigint) = fence
                    and l.database = (select d.oid from pg_database d where d.datname = current_database())) then
    raise exception using errcode = 'RF066', message = 'the tenant is fenced only by the session that holds its fence alone';
  end if;
  select * into was from ringfence.tenant_lifecycle t
   where t.app_id = asked.app_id and t.tenant_hash = asked.tenant_hash;
  select max(d.send_by) + margin into open_until from ringfence.deliveries_live d
   where d.tenant_id = was.tenant_id and d.state in ('pending', 'retrying') and d.reservation_id is not null;
  if open_until > clock_timestamp() then
    return open_until;
  end if;
  -- What is uncertain once stays so, hence its marker may come early.
  if ringfence.mark_unresolved(redaction, was.tenant_id, null, array['UNCERTAIN'], most_markers) = most_markers then
    return clock_timestamp();
  end if;

  perform set_config('synchronous_commit', 'on', true);
  -- A save of settings holds its tenant's row; this is what it holds where there is no row yet. Saves end within their transaction's bound.
  perform pg_advisory_xact_lock(ringfence.settings_lock(asked.tenant_hash, 0), ringfence.settings_lock(asked.tenant_hash, 1));
  moment := clock_timestamp();
  insert into ringfence.tenant_lifecycle as known
    (app_id, tenant_hash, tenant, fence_key, epoch, phase, last_redacted_at, created_at, updated_at)
  values (asked.app_id, asked.tenant_hash, null, fence, new_epoch, 'REDACTED', moment, moment, moment)
  on conflict (app_id, tenant_hash) do update
     set phase = 'REDACTED', epoch = excluded.epoch, tenant = null, published_theme_id = null, theme_checked_at = null,
         last_redacted_at = greatest(known.last_redacted_at, excluded.last_redacted_at), updated_at = excluded.updated_at
  returning * into fenced;

  perform ringfence.mark_unresolved(redaction, fenced.tenant_id, null, array['SENDING', 'UNCERTAIN'], null);
  update ringfence.delivery_attempts a set state = 'UNCERTAIN', code = 'REDACTED', finished_at = moment
    from ringfence.deliveries_live d
   where d.tenant_id = fenced.tenant_id and d.state in ('pending', 'retrying') and d.reservation_id is not null
     and a.delivery_id = d.id and a.delivery_created_at = d.created_at and a.number = d.attempts
     and a.reservation_id = d.reservation_id and a.state = 'SENDING';
  update ringfence.deliveries d
     set state = 'failed', last_code = 'REDACTED', next_attempt_at = null, reservation_id = null, reserved_by = null,
         send_by = null, lease_until = null, finished_at = moment, updated_at = moment
   where d.tenant_id = fenced.tenant_id and d.state in ('pending', 'retrying');
  update ringfence.outbox_events e
     set status = 'DISCARDED', last_error_code = 'REDACTED', last_error_message = 'The tenant was redacted.',
         locked_by = null, locked_until = null, updated_at = moment
   where e.tenant_id = fenced.tenant_id and e.status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE', 'DEAD_LETTERED');

  update ringfence.tenant_settings s set settings = null, settings_text = null, updated_at = moment
   where s.app_id = asked.app_id and s.tenant_hash = asked.tenant_hash and s.settings is not null;

  update ringfence.redactions r
     set tenant_id = fenced.tenant_id, epoch_before = was.epoch, boundary = fenced.last_redacted_at, updated_at = moment
   where r.id = redaction;
  update ringfence.redaction_stages s set status = 'DONE', code = null, updated_at = moment
   where s.redaction_id = redaction and s.stage in ('FENCE', 'DRAIN');
  return null;
end
$$;
revoke all on function ringfence.redact_tenant(uuid, uuid, interval) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.redact_tenant(uuid, uuid, interval);

--changeset ringfence:130-erase-tenant splitStatements:false stripComments:false
-- Deletes at most so many rows of one kind (of attempts: those of so many deliveries) of a tenant that a redaction under way
-- has fenced; returns how many rows went. The application has no DELETE right on these tables: this is the only way, and the
-- list of kinds is closed.
create function ringfence.erase_tenant(subject bigint, kind text, most integer) returns integer
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
-- or each chunk of a tenant that has most of a table would read all that the chunks before it left dead
set enable_seqscan = off
as $$
declare
  redaction uuid;
  ids bigint[];
  erased integer := 0;
begin
  select r.id into redaction from ringfence.redactions r
    join ringfence.tenant_lifecycle t on t.tenant_id = r.tenant_id
   where r.tenant_id = subject and r.status in ('RUNNING', 'WAITING') and t.phase = 'REDACTED';
  if not found then
    raise exception using errcode = 'RF065', message = 'there is no such redaction under way';
  end if;
  if most is null or most not between 1 and 10000 then
    raise exception using errcode = 'RF067', message = 'between 1 and 10000 rows are erased at once';
  end if;
  perform set_config('ringfence.erasure', 'on', true);
  case kind
    when 'delivery_attempts' then
      ids := array(select distinct c.delivery_id from (
        select a.delivery_id from ringfence.delivery_attempts a where a.tenant_id = subject limit most) c);
      perform ringfence.mark_unresolved(redaction, subject, ids, array['SENDING', 'UNCERTAIN'], null);
      delete from ringfence.delivery_attempts a where a.delivery_id = any (ids);
    when 'deliveries' then
      ids := array(select d.id from ringfence.deliveries d where d.tenant_id = subject limit most);
      delete from ringfence.deliveries d where d.id = any (ids);
    when 'outbox_events' then
      ids := array(select e.ordinal from ringfence.outbox_events e where e.tenant_id = subject limit most);
      delete from ringfence.outbox_events e where e.ordinal = any (ids);
    when 'event_keys' then
      -- what hangs on an event's key goes with it: afterwards nobody could tell whose it was
      ids := array(select k.ordinal from ringfence.event_keys k where k.tenant_id = subject limit most);
      delete from ringfence.inbox_events i
       where i.consumer in (select c.name from ringfence.inbox_consumers c)
         and i.event_id in (select k.event_id from ringfence.event_keys k
                             where k.tenant_id = subject and k.ordinal = any (ids));
      delete from ringfence.delivery_keys d where d.event_ordinal = any (ids);
      delete from ringfence.event_keys k where k.tenant_id = subject and k.ordinal = any (ids);
    when 'aggregates' then
      delete from ringfence.aggregates x
       where x.ctid = any (array(select a.ctid from ringfence.aggregates a where a.tenant_id = subject limit most));
    when 'operation_receipts' then
      delete from ringfence.operation_receipts x
       where x.ctid = any (array(select a.ctid from ringfence.operation_receipts a where a.tenant_id = subject limit most));
    when 'idempotency_keys' then
      delete from ringfence.idempotency_keys x
       where x.ctid = any (array(select a.ctid from ringfence.idempotency_keys a where a.tenant_id = subject limit most));
    when 'tenant_settings' then
      -- emptied, as their revision lives on; what a request that began after the boundary saved is not part of this
      update ringfence.tenant_settings x
         set settings = null, settings_text = null, updated_at = clock_timestamp()
        from ringfence.redactions r
       where r.id = redaction and x.app_id = r.app_id and x.tenant_hash = r.tenant_hash
         and x.settings is not null and x.updated_at <= r.boundary;
    when 'subscriptions' then
      -- their secrets go with them
      delete from ringfence.subscriptions x
       where x.ctid = any (array(select a.ctid from ringfence.subscriptions a where a.tenant_id = subject limit most));
    else
      raise exception using errcode = 'RF067', message = 'no such kind of rows';
  end case;
  get diagnostics erased = row_count;
  perform set_config('ringfence.erasure', '', true);
  return erased;
end
$$;
revoke all on function ringfence.erase_tenant(bigint, text, integer) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.erase_tenant(bigint, text, integer);

--changeset ringfence:130-tenant-tables-left splitStatements:false stripComments:false
-- RD-1 g: the tables that still have rows of the tenant, asked of the catalog, so that a table which a later version adds and
-- forgets is found: by tenant_id or by tenant_hash where it has one, and else by having any row at all, for whose it is nobody
-- could tell. Not searched is what the closed list below names.
create function ringfence.tenant_tables_left(subject bigint) returns setof text
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
-- what was erased may be most of a table still, as the planner knows it
set enable_seqscan = off
as $$
declare
  known constant name[] := array[
    -- kept, and pseudonymous: what refuses stale work, who did what, and what the redaction itself is
    'tenant_lifecycle', 'audit_log', 'redactions', 'redaction_stages', 'unresolved_markers',
    -- not a tenant's
    'apps', 'api_keys', 'inbox_consumers', 'nodes', 'app_cancellations', 'databasechangelog', 'databasechangeloglock',
    -- gone with the row that says whose they are, in its transaction
    'subscription_secrets', 'delivery_keys', 'inbox_events'];
  hash bytea;
  candidate record;
  condition text;
  has_rows boolean;
begin
  select t.tenant_hash into hash from ringfence.tenant_lifecycle t where t.tenant_id = subject;
  for candidate in
    select c.relname as name, bool_or(a.attname = 'tenant_id') as by_id, bool_or(a.attname = 'tenant_hash') as by_hash
      from pg_class c
      left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'ringfence'::regnamespace and c.relkind in ('r', 'p', 'm') and not c.relispartition
       and c.relname <> all (known)
     group by c.relname order by c.relname
  loop
    condition := case
      -- what a request that began after the boundary saved is not part of this
      when candidate.name = 'tenant_settings' then
        'x.tenant_hash = $2 and x.settings is not null and x.updated_at <='
          ' (select t.last_redacted_at from ringfence.tenant_lifecycle t where t.tenant_id = $1)'
      when candidate.by_id then 'x.tenant_id = $1'
      when candidate.by_hash then 'x.tenant_hash = $2'
      else 'true' end;
    execute format('select exists (select from ringfence.%I x where %s)', candidate.name, condition)
      into has_rows using subject, hash;
    if has_rows then
      return next candidate.name::text;
    end if;
  end loop;
end
$$;
revoke all on function ringfence.tenant_tables_left(bigint) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.tenant_tables_left(bigint);
