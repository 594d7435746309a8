--liquibase formatted sql logicalFilePath:ringfence/200-templates.sql

--changeset ringfence:200-subscription-envelope
-- SB-1: the template of the body that the receiver wants. json, not jsonb: it keeps the order of its members, in which bodies are written.
alter table ringfence.subscriptions add column envelope json;
--rollback select ringfence.refuse_rollback();
--rollback alter table ringfence.subscriptions drop column envelope;
