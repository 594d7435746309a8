--liquibase formatted sql logicalFilePath:ringfence/170-enabled-from.sql

--changeset ringfence:170-enabled-from
-- RT-2: the number at which an application was enabled again. An event with a smaller one was recorded before, by somebody who had
-- not yet seen that it was disabled, however late that transaction commits: it is never sent.
alter table ringfence.app_cancellations add column enabled_from bigint;
--rollback select ringfence.refuse_rollback();
--rollback alter table ringfence.app_cancellations drop column enabled_from;
