--liquibase formatted sql logicalFilePath:ringfence/201-circuit.sql

--changeset ringfence:201-circuit
-- SB-7: the circuit of a subscription's receiver, one for all nodes. While it is open nothing is reserved; when circuit_until is over, one
-- attempt may be the probe. Whoever reserves the probe makes it HALF_OPEN until then; a probe that is never heard of is given up at circuit_until.
alter table ringfence.subscriptions add column circuit text not null default 'CLOSED'
  check (circuit in ('CLOSED', 'OPEN', 'HALF_OPEN'));
alter table ringfence.subscriptions add column circuit_failures integer not null default 0;
alter table ringfence.subscriptions add column circuit_openings integer not null default 0;
alter table ringfence.subscriptions add column circuit_until timestamptz;
alter table ringfence.subscriptions add column circuit_probe uuid;
-- after how many failures in a row (0: never), and how long it is open at first and at most
alter table ringfence.subscriptions add column circuit_threshold integer not null default 20 check (circuit_threshold >= 0);
alter table ringfence.subscriptions add column circuit_pause_s integer not null default 30 check (circuit_pause_s > 0);
alter table ringfence.subscriptions add column circuit_max_pause_s integer not null default 300
  check (circuit_max_pause_s >= circuit_pause_s);
alter table ringfence.subscriptions add constraint subscriptions_circuit
  check ((circuit = 'CLOSED') = (circuit_until is null) and (circuit = 'HALF_OPEN') = (circuit_probe is not null));
create trigger subscriptions_circuit_moves
  before update of circuit on ringfence.subscriptions
  for each row
  when (old.circuit = 'CLOSED' and new.circuit = 'HALF_OPEN')
  execute function ringfence.refuse('RF076', 'a circuit is open before it is half open', 'id', 'circuit');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger subscriptions_circuit_moves on ringfence.subscriptions;
--rollback alter table ringfence.subscriptions drop constraint subscriptions_circuit;
--rollback alter table ringfence.subscriptions drop column circuit_max_pause_s;
--rollback alter table ringfence.subscriptions drop column circuit_pause_s;
--rollback alter table ringfence.subscriptions drop column circuit_threshold;
--rollback alter table ringfence.subscriptions drop column circuit_probe;
--rollback alter table ringfence.subscriptions drop column circuit_until;
--rollback alter table ringfence.subscriptions drop column circuit_openings;
--rollback alter table ringfence.subscriptions drop column circuit_failures;
--rollback alter table ringfence.subscriptions drop column circuit;

--changeset ringfence:201-retrying-by-age
-- What expires while its subscription is held (paused, or its circuit open) is found by its age, without a look at all that wait. What was
-- never tried is due in the order of its age anyway.
create index deliveries_live_retrying on ringfence.deliveries_live (tenant_id, subscription_id, cycle_started_at)
  where state = 'retrying';
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.deliveries_live_retrying;
