--liquibase formatted sql logicalFilePath:ringfence/240-acceptance.sql

--changeset ringfence:240-acceptance
-- DL-3: the time of the first acceptance is neither erased nor replaced; 070 refused the former only.
drop trigger deliveries_acceptance_kept on ringfence.deliveries;
create trigger deliveries_acceptance_kept
  before update of accepted_at on ringfence.deliveries
  for each row
  when (old.accepted_at is not null and new.accepted_at is distinct from old.accepted_at)
  execute function ringfence.refuse('RF024', 'an acceptance is never erased', 'id', 'accepted_at');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_acceptance_kept on ringfence.deliveries;
--rollback create trigger deliveries_acceptance_kept before update of accepted_at on ringfence.deliveries for each row when (old.accepted_at is not null and new.accepted_at is null) execute function ringfence.refuse('RF024', 'an acceptance is never erased', 'id', 'accepted_at');
