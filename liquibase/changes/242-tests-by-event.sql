--liquibase formatted sql logicalFilePath:ringfence/242-tests-by-event.sql

--changeset ringfence:242-tests-by-event
-- A test send has an event id and no event: nothing else finds it by that.
create index deliveries_tests on ringfence.deliveries (event_id) where test;
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.deliveries_tests;
