--liquibase formatted sql logicalFilePath:ringfence/252-live-events.sql

--changeset ringfence:252-live-events
-- What a look at due deliveries asks of their events: without a copy, half of the look was finding each event in the weeks. Null in rows of
-- before, and of nodes of the version before during an update: these are looked up as ever.
alter table ringfence.deliveries add column event_name text;
-- of the body that is sent, in bytes
alter table ringfence.deliveries add column octets integer;
create trigger deliveries_event_fixed
  before update of event_name, octets on ringfence.deliveries
  for each row
  execute function ringfence.refuse('RF021', 'what a delivery sends, and for whom, never changes', 'id');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_event_fixed on ringfence.deliveries;
--rollback alter table ringfence.deliveries drop column octets;
--rollback alter table ringfence.deliveries drop column event_name;
