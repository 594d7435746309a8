--liquibase formatted sql logicalFilePath:ringfence/060-subscriptions.sql

--changeset ringfence:060-subscriptions
-- SB-1; signing entries without their secrets.
create table ringfence.subscriptions (
  id uuid primary key,
  app_id uuid not null references ringfence.apps,
  tenant_id bigint not null,
  name text not null,
  mode text not null check (mode in ('PUSH', 'PULL', 'BROKER')),
  url text,
  event_types text[] not null default '{}',
  match jsonb,
  signing jsonb not null,
  headers jsonb,
  ack text not null check (ack in ('RECEIPT', 'STATUS')),
  semantics text not null check (semantics in ('AT_LEAST_ONCE', 'AT_MOST_ONCE')),
  ordering text not null default 'NONE' check (ordering in ('NONE', 'KEY')),
  on_dead text not null default 'CONTINUE' check (on_dead in ('CONTINUE', 'BLOCK')),
  retry_waits integer[] not null,
  retry_jitter double precision not null,
  retry_attempts integer not null,
  in_flight integer not null,
  timeout_ms integer not null,
  dead_threshold integer not null,
  status text not null check (status in ('ACTIVE', 'PAUSED', 'DISABLED')),
  disabled_reason text,
  consecutive_dead integer not null default 0,
  grants text[] not null,
  version bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index subscriptions_tenant on ringfence.subscriptions (tenant_id);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.subscriptions;

--changeset ringfence:060-subscription-secrets
-- SC-2: sealed. Several generations while a rotated secret is in its grace time.
create table ringfence.subscription_secrets (
  subscription_id uuid not null references ringfence.subscriptions on delete cascade,
  entry integer not null,
  generation integer not null,
  secret bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (subscription_id, entry, generation)
);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.subscription_secrets;
