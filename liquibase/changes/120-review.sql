--liquibase formatted sql logicalFilePath:ringfence/120-review.sql

--changeset ringfence:120-subscription-ordinal
-- Which events a subscription takes is decided by the one sequence that numbers events too: the clocks of two nodes do
-- not agree on what was first. Subscriptions that exist already take every event that is not fanned out yet. The
-- default serves nodes of the version before, during an update.
alter table ringfence.subscriptions add column created_ordinal bigint not null default 0;
alter table ringfence.subscriptions alter column created_ordinal set default nextval('ringfence.ordinals');
--rollback select ringfence.refuse_rollback();
--rollback alter table ringfence.subscriptions drop column created_ordinal;

--changeset ringfence:120-list-indexes
-- The lists of an application, newest first. The hot partition is small and read by its primary key.
create index outbox_events_app on ringfence.outbox_events (app_id, ordinal);
create index deliveries_finished_app on ringfence.deliveries_finished (app_id, id);
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.deliveries_finished_app;
--rollback drop index ringfence.outbox_events_app;
