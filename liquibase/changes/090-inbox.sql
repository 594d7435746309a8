--liquibase formatted sql logicalFilePath:ringfence/090-inbox.sql

--changeset ringfence:090-inbox
create table ringfence.inbox_consumers (
  name text primary key,
  scheme text not null,
  -- SC-2: sealed
  secret bytea not null,
  created_at timestamptz not null
);
-- IN-1: one row per processed event.
create table ringfence.inbox_events (
  id bigint generated always as identity primary key,
  consumer text not null references ringfence.inbox_consumers,
  event_id text not null,
  app_id text not null,
  event_name text,
  body_sha256 bytea not null,
  received_at timestamptz not null,
  unique (consumer, event_id)
);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.inbox_events;
--rollback drop table ringfence.inbox_consumers;
