--liquibase formatted sql logicalFilePath:ringfence/010-guards.sql

-- What the database itself refuses. Every refusal has a SQLSTATE of class RF:
--
--   RF001  lifecycle: boundary, generation or revision moved backwards            (LC-1)
--   RF002  lifecycle: identity of a row changed                                   (LC-1)
--   RF003  lifecycle: row deleted                                                 (LC-1)
--   RF010  outbox: immutable column changed                                       (RC-5)
--   RF011  outbox: status move that does not exist                                (OB-1)
--   RF012  outbox: row inserted in another status than PENDING                    (OB-1)
--   RF013  outbox: the key of an event changed                                    (RC-4)
--   RF014  outbox: the number of an ordering key moved backwards                  (OB-5)
--   RF020  delivery: state move that does not exist                               (DL-1)
--   RF021  delivery: immutable column changed                                     (SB-4)
--   RF022  delivery: inserted in another state than pending or skipped_filter     (DL-1)
--   RF023  delivery: cycle or attempt counters do not fit the move                (AT-2, AT-3)
--   RF024  delivery: accepted_at of an earlier success erased                     (DL-3)
--   RF025  delivery: a discard taken back                                         (DL-1)
--   RF026  delivery: frozen URL changed outside a new cycle                       (SB-4)
--   RF027  delivery: the key of a delivery changed                                (SB-4)
--   RF028  delivery: pull and push mixed up                                       (DL-1)
--   RF030  attempt: outcome written a second time                                 (AT-2)
--   RF031  attempt: immutable column changed                                      (AT-2)
--   RF032  attempt: inserted in another state than SENDING                        (AT-1)
--   RF033  attempt: late answer before an outcome, or a second one                (AT-8)
--   RF035  feed: cursor moved backwards                                           (PL-1)
--   RF040  audit: row changed or deleted                                          (OP-1)
--   RF050  rows deleted outside an erasure
--   RF051  row inserted into a partition instead of its table
--   RF052  partitions asked for with a senseless range
--   RF053  weeks to be dropped before a senseless instant                        (RT-1)
--   RF060  redaction: what it is of changed                                       (RD-3)
--   RF061  redaction: move that does not exist                                    (RD-2)
--   RF062  redaction stage: move that does not exist                              (RD-2)
--   RF063  marker: changed, resolved again, or a second late answer               (AT-8)
--   RF064  redaction, stage or marker deleted                                     (RD-2)
--   RF065  redaction functions: no such redaction under way                       (RD-1)
--   RF066  fencing a tenant without holding its fence                             (RD-1)
--   RF067  erasing an unknown kind, or a senseless number of rows                 (RD-1)
--   RF070  settings: revision moved backwards                                     (LC-9)
--   RF071  settings: row deleted                                                  (LC-9)
--   RF075  job: one that is over changed, one moved backwards, one deleted before its end   (OP-1)
--   RF076  circuit of a subscription: half open before it was open                 (SB-7)
--   RF090  rollback of a change set while lifecycle rows exist                    (RT-3)
--
-- Rows of events, deliveries, attempts and their keys may be deleted where the transaction has said so:
--   select set_config('ringfence.erasure', 'on', true)
--
-- The rules stand in the WHEN clauses of triggers, so a permitted write costs an expression and no function call;
-- immutable columns are guarded by UPDATE OF lists, which cost nothing while the column is not written. Deletion is
-- guarded by statement triggers: PostgreSQL fires those for the statement's own table only, so that a row which moves
-- between partitions (an UPDATE that becomes DELETE and INSERT inside) passes and a DELETE does not.

--changeset ringfence:010-refuse-rollback splitStatements:false stripComments:false
-- RT-3: called first by every rollback that would lose data.
create function ringfence.refuse_rollback() returns void
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  found_rows boolean := false;
begin
  if to_regclass('ringfence.tenant_lifecycle') is not null then
    execute 'select exists (select from ringfence.tenant_lifecycle)' into found_rows;
  end if;
  if found_rows then
    raise exception using
      errcode = 'RF090',
      message = 'rollback refused: tenants are enrolled, and their boundaries, attempts and events would be lost',
      hint = 'Restore a backup made before the update instead.';
  end if;
end
$$;
revoke all on function ringfence.refuse_rollback() from public;
--rollback drop function ringfence.refuse_rollback();

--changeset ringfence:010-refuse splitStatements:false stripComments:false
-- Trigger function of every guard. Arguments: SQLSTATE, message, then names of columns that may be shown (never content).
create function ringfence.refuse() returns trigger
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  detail text := '';
  shown text;
begin
  if tg_level = 'ROW' then
    for i in 2 .. tg_nargs - 1 loop
      shown := case tg_op
        when 'INSERT' then to_jsonb(new) ->> tg_argv[i]
        when 'DELETE' then to_jsonb(old) ->> tg_argv[i]
        else concat_ws(' > ', to_jsonb(old) ->> tg_argv[i],
          case when to_jsonb(old) -> tg_argv[i] is distinct from to_jsonb(new) -> tg_argv[i]
               then coalesce(to_jsonb(new) ->> tg_argv[i], 'null') end)
      end;
      detail := concat_ws(', ', nullif(detail, ''), format('%s %s', tg_argv[i], shown));
    end loop;
  end if;
  raise exception using
    errcode = tg_argv[0],
    message = tg_argv[1],
    detail = coalesce(nullif(detail, ''), format('%s of %s', lower(tg_op), tg_table_name)),
    schema = tg_table_schema,
    table = tg_table_name,
    constraint = tg_name;
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.refuse();

--changeset ringfence:010-ordinals
-- RC-7: one sequence for events and deliveries. CACHE 1 and NO CYCLE: never reset, never given back.
create sequence ringfence.ordinals as bigint no cycle;
--rollback select ringfence.refuse_rollback();
--rollback drop sequence ringfence.ordinals;
