--liquibase formatted sql logicalFilePath:ringfence/241-revoked-consent.sql

--changeset ringfence:241-revoked-consent
-- SB-5: since when grants were narrowed whose waiting deliveries have not all been looked at, and when to look (again). Who looks moves the latter, so
-- that of all nodes one does.
alter table ringfence.subscriptions add column narrowed_at timestamptz;
alter table ringfence.subscriptions add column narrowed_look_at timestamptz;
alter table ringfence.subscriptions add constraint subscriptions_narrowed
  check ((narrowed_at is null) = (narrowed_look_at is null));
create index subscriptions_narrowed_look on ringfence.subscriptions (narrowed_look_at) where narrowed_look_at is not null;
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.subscriptions_narrowed_look;
--rollback alter table ringfence.subscriptions drop constraint subscriptions_narrowed;
--rollback alter table ringfence.subscriptions drop column narrowed_look_at;
--rollback alter table ringfence.subscriptions drop column narrowed_at;
