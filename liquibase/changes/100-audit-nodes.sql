--liquibase formatted sql logicalFilePath:ringfence/100-audit-nodes.sql

--changeset ringfence:100-audit-log
-- OP-1: append-only; not even an erasure changes it.
create table ringfence.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  app_id uuid,
  tenant_id bigint,
  target text not null,
  reason text,
  detail jsonb
);
create index audit_log_app on ringfence.audit_log (app_id, id);
create trigger audit_append_only
  before update or delete or truncate on ringfence.audit_log
  for each statement
  execute function ringfence.refuse('RF040', 'the audit log is append-only');
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.audit_log;

--changeset ringfence:100-nodes
-- Liveness of our own: the batch repository does not know that a node was killed.
create table ringfence.nodes (
  node text primary key,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null
);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.nodes;
