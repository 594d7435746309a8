--liquibase formatted sql logicalFilePath:ringfence/160-receiver-tls.sql

--changeset ringfence:160-receiver-tls
-- SB-1: when the certificates of a subscription expire; they themselves are sealed beside its secrets.
alter table ringfence.subscriptions add column tls jsonb;
--rollback select ringfence.refuse_rollback();
--rollback alter table ringfence.subscriptions drop column tls;
