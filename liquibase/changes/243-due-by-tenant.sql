--liquibase formatted sql logicalFilePath:ringfence/243-due-by-tenant.sql

--changeset ringfence:243-due-by-tenant
-- OB-2: publishers go from tenant to tenant, so that one with a backlog does not keep the others waiting.
drop index ringfence.outbox_events_due;
create index outbox_events_due on ringfence.outbox_events (tenant_id, available_at, ordinal)
  where status in ('PENDING', 'FAILED_RETRYABLE');
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.outbox_events_due;
--rollback create index outbox_events_due on ringfence.outbox_events (available_at, ordinal)
--rollback   where status in ('PENDING', 'FAILED_RETRYABLE');
