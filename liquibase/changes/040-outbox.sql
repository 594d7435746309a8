--liquibase formatted sql logicalFilePath:ringfence/040-outbox.sql

--changeset ringfence:040-event-keys
-- Narrow and not partitioned: uniqueness that does not depend on time (OB-1), and deduplication (RC-4).
create table ringfence.event_keys (
  event_id text primary key,
  tenant_id bigint not null,
  epoch uuid not null,
  -- SHA-256 over kind + occurrenceKey, or kind + operation id + index
  dedupe_key bytea,
  -- of the submitted event in canonical form: same key with other content is refused
  content_sha256 bytea not null,
  ordinal bigint not null,
  recorded_at timestamptz not null
);
create unique index event_keys_dedupe on ringfence.event_keys (tenant_id, epoch, dedupe_key)
  where dedupe_key is not null;
create trigger event_keys_fixed
  before update on ringfence.event_keys
  for each row
  when (old is distinct from new)
  execute function ringfence.refuse('RF013', 'the key of an event never changes', 'event_id');
create trigger event_keys_erasure_only
  before delete or truncate on ringfence.event_keys
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'event keys are deleted by erasure only');
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.event_keys;

--changeset ringfence:040-outbox-events
-- OB-1. Partitioned by ISO week (UTC) of recorded_at, so that retention drops weeks; see ensure_partitions.
create table ringfence.outbox_events (
  ordinal bigint not null,
  id bigint generated always as (ordinal) stored,
  tenant_id bigint not null,
  app_id uuid not null,
  epoch uuid not null,
  request_started_at timestamptz not null,
  event_id text not null,
  event_name text not null,
  event_version integer not null,
  occurred_at timestamptz not null,
  recorded_at timestamptz not null,
  producer text not null,
  aggregate_type text not null,
  aggregate_id text not null,
  workspace_id text,
  relationship_id text,
  actor jsonb not null,
  correlation_id text not null,
  causation_id text not null,
  idempotency_key text,
  occurrence_key text,
  ordering_key text,
  traceparent text,
  milestone boolean not null default false,
  -- copies for searching; what is sent is payload_bytes (RC-5)
  payload jsonb not null,
  metadata jsonb not null,
  -- the envelope exactly as it is sent
  payload_bytes bytea not null,
  payload_sha256 bytea not null,
  status text not null
    check (status in ('PENDING', 'CLAIMED', 'PUBLISHED', 'FAILED_RETRYABLE', 'DEAD_LETTERED', 'DISCARDED')),
  available_at timestamptz not null,
  attempt_count integer not null default 0,
  last_attempt_at timestamptz,
  published_at timestamptz,
  locked_by text,
  locked_until timestamptz,
  last_error_code text,
  last_error_message text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (ordinal, recorded_at),
  -- a claim without a lease could never be taken over (OB-2)
  constraint outbox_events_lease check (status <> 'CLAIMED' or (locked_by is not null and locked_until is not null))
) partition by range (recorded_at);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.outbox_events;

--changeset ringfence:040-outbox-indexes
-- States as literals: a generic plan cannot prove a parameter (D21).
create index outbox_events_due on ringfence.outbox_events (available_at, ordinal)
  where status in ('PENDING', 'FAILED_RETRYABLE');
create index outbox_events_lease on ringfence.outbox_events (locked_until) where status = 'CLAIMED';
create index outbox_events_status on ringfence.outbox_events (status, event_name, published_at);
create index outbox_events_tenant on ringfence.outbox_events (tenant_id, recorded_at);
create index outbox_events_workspace on ringfence.outbox_events (workspace_id) where workspace_id is not null;
create index outbox_events_relationship on ringfence.outbox_events (relationship_id) where relationship_id is not null;
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.outbox_events_relationship;
--rollback drop index ringfence.outbox_events_workspace;
--rollback drop index ringfence.outbox_events_tenant;
--rollback drop index ringfence.outbox_events_status;
--rollback drop index ringfence.outbox_events_lease;
--rollback drop index ringfence.outbox_events_due;

--changeset ringfence:040-outbox-guards
create trigger outbox_born_pending
  before insert on ringfence.outbox_events
  for each row
  when (new.status <> 'PENDING')
  execute function ringfence.refuse('RF012', 'an event is recorded as PENDING', 'ordinal', 'status');
create trigger outbox_fixed
  before update of ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name, event_version,
    occurred_at, recorded_at, producer, aggregate_type, aggregate_id, workspace_id, relationship_id, actor,
    correlation_id, causation_id, idempotency_key, occurrence_key, ordering_key, traceparent, milestone,
    payload, metadata, payload_bytes, payload_sha256, created_at
  on ringfence.outbox_events
  for each row
  execute function ringfence.refuse('RF010', 'a recorded event never changes; erasure deletes it', 'ordinal');
-- CLAIMED > CLAIMED is the takeover of an expired lease.
create trigger outbox_moves
  before update of status on ringfence.outbox_events
  for each row
  when (old.status <> new.status and not (
       (old.status = 'CLAIMED' and new.status in ('PUBLISHED', 'FAILED_RETRYABLE', 'DEAD_LETTERED', 'DISCARDED'))
    or (old.status in ('PENDING', 'FAILED_RETRYABLE') and new.status in ('CLAIMED', 'DISCARDED'))
    or (old.status = 'DEAD_LETTERED' and new.status in ('PENDING', 'DISCARDED'))))
  execute function ringfence.refuse('RF011', 'no such move of an outbox event', 'ordinal', 'status');
create trigger outbox_erasure_only
  before delete or truncate on ringfence.outbox_events
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'events are deleted by erasure and retention only');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger outbox_erasure_only on ringfence.outbox_events;
--rollback drop trigger outbox_moves on ringfence.outbox_events;
--rollback drop trigger outbox_fixed on ringfence.outbox_events;
--rollback drop trigger outbox_born_pending on ringfence.outbox_events;
