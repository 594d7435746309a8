--liquibase formatted sql logicalFilePath:ringfence/050-recording.sql

--changeset ringfence:050-aggregates
-- RC-1: state_text is the state as it was submitted, state its searchable copy.
create table ringfence.aggregates (
  tenant_id bigint not null,
  type text not null,
  id text not null,
  version bigint not null,
  state jsonb not null,
  state_text text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, type, id)
);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.aggregates;

--changeset ringfence:050-operation-receipts
-- RC-6: the producer's dedupe record.
create table ringfence.operation_receipts (
  tenant_id bigint not null,
  client_operation_id text not null,
  epoch uuid not null,
  body_sha256 bytea not null,
  outcome text not null check (outcome in ('ACCEPTED', 'REJECTED', 'CONFLICTED')),
  version bigint,
  event_ids text[] not null default '{}',
  reason text,
  aggregate_type text not null,
  aggregate_id text not null,
  recorded_at timestamptz not null,
  primary key (tenant_id, client_operation_id)
);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.operation_receipts;

--changeset ringfence:050-idempotency-keys
-- RC-12
create table ringfence.idempotency_keys (
  caller uuid not null,
  path text not null,
  key text not null,
  body_sha256 bytea not null,
  tenant_id bigint,
  epoch uuid,
  status integer not null,
  response bytea,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (caller, path, key)
);
create index idempotency_keys_expiry on ringfence.idempotency_keys (expires_at);
create index idempotency_keys_tenant on ringfence.idempotency_keys (tenant_id) where tenant_id is not null;
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.idempotency_keys;
