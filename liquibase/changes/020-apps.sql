--liquibase formatted sql logicalFilePath:ringfence/020-apps.sql

--changeset ringfence:020-apps
-- A sending application.
create table ringfence.apps (
  id uuid primary key,
  name text not null,
  enabled boolean not null default true,
  -- LC-5: least bound that a caller's own time must carry
  min_skew_bound_ms integer not null default 0 check (min_skew_bound_ms >= 0),
  remote_erasure_url text,
  -- SC-2: sealed, never clear text
  remote_erasure_secret bytea,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.apps;

--changeset ringfence:020-api-keys
create table ringfence.api_keys (
  id uuid primary key,
  -- null: the key is global (bootstrap admin)
  app_id uuid references ringfence.apps,
  name text not null,
  roles text[] not null check (roles <@ array['client', 'operator', 'auditor', 'admin']),
  -- SHA-256 of the whole secret; the secret itself is shown once and kept nowhere
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index api_keys_app on ringfence.api_keys (app_id);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.api_keys;
