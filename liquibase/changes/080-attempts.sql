--liquibase formatted sql logicalFilePath:ringfence/080-attempts.sql

--changeset ringfence:080-delivery-attempts
-- The ledger (AT-1, AT-2). Partitioned by week of the delivery's creation: all attempts of a delivery share a partition.
create table ringfence.delivery_attempts (
  delivery_id bigint not null,
  delivery_created_at timestamptz not null,
  number integer not null,
  cycle integer not null,
  tenant_id bigint not null,
  reservation_id uuid not null,
  state text not null check (state in
    ('SENDING', 'ACKNOWLEDGED', 'FAILED', 'UNCERTAIN', 'CANCELLED', 'NOT_SENT', 'RELEASED')),
  -- AT-3: only an attempt that certainly never began does not count
  counted boolean not null default true,
  node text not null,
  started_at timestamptz not null,
  send_by timestamptz not null,
  finished_at timestamptz,
  http_status integer,
  code text,
  retry_after timestamptz,
  receipt jsonb,
  -- an answer that came after reconciliation: history only (AT-8)
  late_state text,
  late_status integer,
  late_at timestamptz,
  primary key (delivery_id, number, delivery_created_at),
  constraint delivery_attempts_counted check (counted = (state <> 'RELEASED')),
  constraint delivery_attempts_finished check ((state = 'SENDING') = (finished_at is null))
) partition by range (delivery_created_at);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.delivery_attempts;

--changeset ringfence:080-delivery-attempts-guards
create trigger attempts_born_sending
  before insert on ringfence.delivery_attempts
  for each row
  when (new.state <> 'SENDING')
  execute function ringfence.refuse('RF032', 'an attempt begins as SENDING', 'delivery_id', 'number', 'state');
create trigger attempts_fixed
  before update of delivery_id, delivery_created_at, number, cycle, tenant_id, reservation_id, node, started_at, send_by
  on ringfence.delivery_attempts
  for each row
  execute function ringfence.refuse('RF031', 'a committed reservation never changes', 'delivery_id', 'number');
create trigger attempts_one_outcome
  before update of state, counted, finished_at, http_status, code, retry_after, receipt
  on ringfence.delivery_attempts
  for each row
  when (old.state <> 'SENDING' or new.state = 'SENDING')
  execute function ringfence.refuse('RF030', 'an attempt gets one outcome, once', 'delivery_id', 'number', 'state');
create trigger attempts_one_late_answer
  before update of late_state, late_status, late_at on ringfence.delivery_attempts
  for each row
  when (old.state = 'SENDING' or old.late_state is not null or old.late_status is not null or old.late_at is not null)
  execute function ringfence.refuse('RF033', 'a late answer is kept once, after the outcome',
    'delivery_id', 'number', 'state');
create trigger attempts_erasure_only
  before delete or truncate on ringfence.delivery_attempts
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'attempts are deleted by erasure and retention only');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger attempts_erasure_only on ringfence.delivery_attempts;
--rollback drop trigger attempts_one_late_answer on ringfence.delivery_attempts;
--rollback drop trigger attempts_one_outcome on ringfence.delivery_attempts;
--rollback drop trigger attempts_fixed on ringfence.delivery_attempts;
--rollback drop trigger attempts_born_sending on ringfence.delivery_attempts;
