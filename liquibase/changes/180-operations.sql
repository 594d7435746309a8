--liquibase formatted sql logicalFilePath:ringfence/180-operations.sql

--changeset ringfence:180-subscription-closings
-- SB-3: the ordinals at which the subscription was closed (paused, disabled) and opened again, by turns. What was recorded while it was
-- closed is not for it, whenever it is fanned out; what was recorded before is. No clock decides.
alter table ringfence.subscriptions add column closings bigint[] not null default '{}';
--rollback select ringfence.refuse_rollback();
--rollback alter table ringfence.subscriptions drop column closings;

--changeset ringfence:180-subscription-rate
-- SB-7: most requests a second, on all nodes together; null is no limit.
alter table ringfence.subscriptions add column per_second double precision check (per_second > 0);
--rollback select ringfence.refuse_rollback();
--rollback alter table ringfence.subscriptions drop column per_second;

--changeset ringfence:180-subscription-retry-statuses
-- SB-7: refusals that are tried again all the same.
alter table ringfence.subscriptions add column retry_statuses integer[] not null default '{}';
--rollback select ringfence.refuse_rollback();
--rollback alter table ringfence.subscriptions drop column retry_statuses;

--changeset ringfence:180-test-deliveries
-- SB-7: a test send. It counts in no statistics, and is tried once.
alter table ringfence.deliveries add column test boolean not null default false;
create trigger deliveries_test_kept
  before update of test on ringfence.deliveries
  for each row
  execute function ringfence.refuse('RF021', 'what a delivery sends, and for whom, never changes', 'id');
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_test_kept on ringfence.deliveries;
--rollback alter table ringfence.deliveries drop column test;

--changeset ringfence:180-jobs
-- OP-1, DL-4: work that an operator ordered. A step of it is one transaction that moves the place, so that a node which dies in the
-- middle loses nothing and repeats nothing. No payload and no tenant's name or number: it survives a redaction as a count.
create table ringfence.jobs (
  id uuid primary key,
  app_id uuid not null references ringfence.apps,
  kind text not null check (kind in ('RETRY', 'REPLAY')),
  status text not null check (status in ('QUEUED', 'RUNNING', 'DONE', 'FAILED')),
  -- why it failed
  code text,
  done bigint not null default 0,
  total bigint not null default 0,
  subscription_id uuid,
  -- the work stops with the installation that it was ordered for
  epoch uuid not null,
  window_from timestamptz,
  window_to timestamptz,
  states text[],
  -- the last delivery looked at
  place_at timestamptz,
  place_id bigint,
  failures integer not null default 0,
  next_at timestamptz not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  constraint jobs_finished check ((status in ('DONE', 'FAILED')) = (finished_at is not null))
);
create index jobs_due on ringfence.jobs (next_at) where status in ('QUEUED', 'RUNNING');
create index jobs_finished_at on ringfence.jobs (finished_at) where finished_at is not null;
create trigger jobs_kept
  before delete on ringfence.jobs
  for each row
  when (old.finished_at is null)
  execute function ringfence.refuse('RF075', 'a job is kept until it is over', 'id', 'status');
create trigger jobs_over
  before update on ringfence.jobs
  for each row
  when (old.status in ('DONE', 'FAILED') or new.done < old.done or new.id <> old.id or new.app_id <> old.app_id
    or new.kind <> old.kind or new.epoch <> old.epoch)
  execute function ringfence.refuse('RF075', 'a job that is over never changes, and no job goes back', 'id', 'status');
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.jobs;
