--liquibase formatted sql logicalFilePath:ringfence/070-deliveries.sql

--changeset ringfence:070-delivery-keys
-- Narrow and not partitioned: one delivery per (subscription, event) for ever (SB-4, OB-1).
create table ringfence.delivery_keys (
  event_ordinal bigint not null,
  subscription_id uuid not null,
  delivery_id bigint not null,
  created_at timestamptz not null,
  primary key (event_ordinal, subscription_id)
);
create trigger delivery_keys_fixed
  before update on ringfence.delivery_keys
  for each row
  when (old is distinct from new)
  execute function ringfence.refuse('RF027', 'the key of a delivery never changes', 'delivery_id');
create trigger delivery_keys_erasure_only
  before delete or truncate on ringfence.delivery_keys
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'delivery keys are deleted by erasure only');
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.delivery_keys;

--changeset ringfence:070-deliveries
-- What can be due lives in one small hot table (deliveries_live), what is finished in weeks that retention can drop.
-- An UPDATE of state through the parent moves the row between them.
create table ringfence.deliveries (
  id bigint not null,
  tenant_id bigint not null,
  app_id uuid not null,
  epoch uuid not null,
  subscription_id uuid not null,
  event_ordinal bigint not null,
  event_recorded_at timestamptz not null,
  event_id text not null,
  message_id text not null,
  mode text not null,
  state text not null
    check (state in ('pending', 'retrying', 'delivered', 'failed', 'dead', 'skipped_filter')),
  url text,
  headers jsonb,
  -- null: the body is the event's own bytes
  body_bytes bytea,
  body_sha256 bytea,
  -- SB-4: a worker sends only versions that it knows
  protocol smallint not null,
  cycle integer not null default 1,
  cycle_started_at timestamptz not null,
  -- attempts counted in this cycle; ledger number of the last attempt of all
  cycle_attempts integer not null default 0,
  attempts integer not null default 0,
  -- null for PULL and for what is finished
  next_attempt_at timestamptz,
  -- the open attempt, if any
  reservation_id uuid,
  send_by timestamptz,
  lease_until timestamptz,
  reserved_by text,
  accepted_at timestamptz,
  last_code text,
  last_status integer,
  discarded boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  constraint deliveries_counts check (cycle_attempts between 0 and attempts),
  -- an attempt that is open can always be found and reconciled (AT-5)
  constraint deliveries_open_attempt
    check (reservation_id is null or (lease_until is not null and state in ('pending', 'retrying')))
) partition by list (state);
create table ringfence.deliveries_live partition of ringfence.deliveries
  for values in ('pending', 'retrying')
  with (fillfactor = 50,
    autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_threshold = 500, autovacuum_analyze_scale_factor = 0.02);
create table ringfence.deliveries_finished partition of ringfence.deliveries
  for values in ('delivered', 'failed', 'dead', 'skipped_filter')
  partition by range (created_at);
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.deliveries;

--changeset ringfence:070-deliveries-indexes
alter table ringfence.deliveries_live add primary key (id);
-- States as literals: a generic plan cannot prove a parameter (D21).
create index deliveries_live_due on ringfence.deliveries_live (tenant_id, subscription_id, next_attempt_at, id)
  where state in ('pending', 'retrying');
create index deliveries_live_lease on ringfence.deliveries_live (lease_until) where reservation_id is not null;
-- The weeks get their primary key (id) from ensure_partitions: on the parent it would have to contain created_at.
create index deliveries_finished_subscription on ringfence.deliveries_finished
  (tenant_id, subscription_id, created_at);
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.deliveries_finished_subscription;
--rollback drop index ringfence.deliveries_live_lease;
--rollback drop index ringfence.deliveries_live_due;
--rollback alter table ringfence.deliveries_live drop constraint deliveries_live_pkey;

--changeset ringfence:070-deliveries-guards
-- DL-1. The way back to pending is an operator's retry or a replay: a new cycle, see deliveries_cycle.
create trigger deliveries_moves
  before update of state on ringfence.deliveries
  for each row
  when (old.state <> new.state and (old.discarded or not (
       (old.state in ('pending', 'retrying') and new.state in ('delivered', 'retrying', 'dead', 'failed'))
    or (old.state in ('retrying', 'dead', 'failed', 'delivered') and new.state = 'pending'))))
  execute function ringfence.refuse('RF020', 'no such move of a delivery', 'id', 'state', 'discarded');
-- Within a cycle counters only grow, but for the release of an attempt that never began (AT-3), which keeps its ledger
-- number. A new cycle begins at zero, goes on with the ledger's numbers, and never while an attempt is open (AT-2).
create trigger deliveries_cycle
  before update of state, cycle, attempts, cycle_attempts on ringfence.deliveries
  for each row
  when (not (
       (new.cycle = old.cycle
         and (new.state <> 'pending' or old.state = 'pending')
         and new.attempts >= old.attempts
         and (new.cycle_attempts >= old.cycle_attempts
           or (new.cycle_attempts = old.cycle_attempts - 1 and new.attempts = old.attempts
             and old.reservation_id is not null and new.reservation_id is null)))
    or (new.cycle = old.cycle + 1
         and new.state = 'pending' and old.state <> 'pending'
         and new.attempts = old.attempts and new.cycle_attempts = 0
         and old.reservation_id is null and new.reservation_id is null)))
  execute function ringfence.refuse('RF023', 'cycle and attempts of a delivery do not fit its move',
    'id', 'state', 'cycle', 'cycle_attempts', 'attempts', 'reservation_id');
create trigger deliveries_fixed
  before update of id, tenant_id, app_id, epoch, subscription_id, event_ordinal, event_recorded_at, event_id,
    message_id, mode, body_bytes, body_sha256, protocol, created_at
  on ringfence.deliveries
  for each row
  execute function ringfence.refuse('RF021', 'what a delivery sends, and for whom, never changes', 'id');
create trigger deliveries_url_frozen
  before update of url on ringfence.deliveries
  for each row
  when (new.url is distinct from old.url and new.cycle = old.cycle)
  execute function ringfence.refuse('RF026', 'the URL of a delivery changes with a new cycle only', 'id', 'cycle');
create trigger deliveries_acceptance_kept
  before update of accepted_at on ringfence.deliveries
  for each row
  when (old.accepted_at is not null and new.accepted_at is null)
  execute function ringfence.refuse('RF024', 'an acceptance is never erased', 'id', 'accepted_at');
create trigger deliveries_discard_kept
  before update of discarded on ringfence.deliveries
  for each row
  when (old.discarded and not new.discarded)
  execute function ringfence.refuse('RF025', 'a discard is final', 'id', 'discarded');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_discard_kept on ringfence.deliveries;
--rollback drop trigger deliveries_acceptance_kept on ringfence.deliveries;
--rollback drop trigger deliveries_url_frozen on ringfence.deliveries;
--rollback drop trigger deliveries_fixed on ringfence.deliveries;
--rollback drop trigger deliveries_cycle on ringfence.deliveries;
--rollback drop trigger deliveries_moves on ringfence.deliveries;

--changeset ringfence:070-deliveries-birth splitStatements:false stripComments:false
-- A row that moves between partitions passes row triggers as an INSERT, and must. So the rule for new rows looks at
-- what an INSERT statement inserted (moved rows are no part of that), and partitions refuse INSERT statements.
create function ringfence.check_new_deliveries() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  wrong record;
begin
  select id, state into wrong from inserted where state not in ('pending', 'skipped_filter') limit 1;
  if found then
    raise exception using
      errcode = 'RF022',
      message = 'a delivery begins as pending or skipped_filter',
      detail = format('id %s, state %s', wrong.id, wrong.state),
      schema = tg_table_schema,
      table = tg_table_name,
      constraint = tg_name;
  end if;
  return null;
end
$$;
create trigger deliveries_birth
  after insert on ringfence.deliveries
  referencing new table as inserted
  for each statement
  execute function ringfence.check_new_deliveries();
create trigger deliveries_live_through_parent
  before insert on ringfence.deliveries_live
  for each statement
  execute function ringfence.refuse('RF051', 'deliveries are inserted through ringfence.deliveries');
create trigger deliveries_finished_through_parent
  before insert on ringfence.deliveries_finished
  for each statement
  execute function ringfence.refuse('RF051', 'deliveries are inserted through ringfence.deliveries');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_finished_through_parent on ringfence.deliveries_finished;
--rollback drop trigger deliveries_live_through_parent on ringfence.deliveries_live;
--rollback drop trigger deliveries_birth on ringfence.deliveries;
--rollback drop function ringfence.check_new_deliveries();

--changeset ringfence:070-deliveries-erasure
create trigger deliveries_erasure_only
  before delete or truncate on ringfence.deliveries
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'deliveries are deleted by erasure and retention only');
create trigger deliveries_live_erasure_only
  before delete or truncate on ringfence.deliveries_live
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'deliveries are deleted by erasure and retention only');
create trigger deliveries_finished_erasure_only
  before delete or truncate on ringfence.deliveries_finished
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'deliveries are deleted by erasure and retention only');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_finished_erasure_only on ringfence.deliveries_finished;
--rollback drop trigger deliveries_live_erasure_only on ringfence.deliveries_live;
--rollback drop trigger deliveries_erasure_only on ringfence.deliveries;
