--liquibase formatted sql logicalFilePath:ringfence/030-lifecycle.sql

--changeset ringfence:030-tenant-lifecycle
-- LC-1: one durable row per (app, tenant). It outlives everything the tenant ever had.
create table ringfence.tenant_lifecycle (
  app_id uuid not null references ringfence.apps,
  -- SHA-256 of the length-prefixed (app, tenant)
  tenant_hash bytea not null check (octet_length(tenant_hash) = 32),
  -- the narrow key that every other table leads with
  tenant_id bigint not null generated always as identity unique,
  -- clear name; erased by redaction
  tenant text,
  -- FN-1: first 64 bits of tenant_hash
  fence_key bigint not null,
  epoch uuid not null,
  phase text not null check (phase in ('ACTIVE', 'REDACTED')),
  last_redacted_at timestamptz,
  enable_generation bigint not null default 0,
  configuration_revision bigint not null default 0,
  published_theme_id text,
  theme_checked_at timestamptz,
  enabled boolean not null default true,
  enrolled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, tenant_hash)
);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.tenant_lifecycle;

--changeset ringfence:030-tenant-lifecycle-guards
create trigger lifecycle_forward
  before update of last_redacted_at, enable_generation, configuration_revision on ringfence.tenant_lifecycle
  for each row
  when (new.enable_generation < old.enable_generation
    or new.configuration_revision < old.configuration_revision
    or new.last_redacted_at < old.last_redacted_at
    or (new.last_redacted_at is null and old.last_redacted_at is not null))
  execute function ringfence.refuse('RF001', 'boundary, generation and revision of a tenant only move forward',
    'tenant_id', 'last_redacted_at', 'enable_generation', 'configuration_revision');
create trigger lifecycle_identity
  before update of app_id, tenant_hash, tenant_id, fence_key on ringfence.tenant_lifecycle
  for each row
  when (old.app_id <> new.app_id or old.tenant_hash <> new.tenant_hash
    or old.tenant_id <> new.tenant_id or old.fence_key <> new.fence_key)
  execute function ringfence.refuse('RF002', 'the identity of a tenant never changes', 'tenant_id');
create trigger lifecycle_kept
  before delete or truncate on ringfence.tenant_lifecycle
  for each statement
  execute function ringfence.refuse('RF003', 'lifecycle rows are never deleted');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger lifecycle_kept on ringfence.tenant_lifecycle;
--rollback drop trigger lifecycle_identity on ringfence.tenant_lifecycle;
--rollback drop trigger lifecycle_forward on ringfence.tenant_lifecycle;
