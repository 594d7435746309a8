-- Least privilege in production. Two roles, and nobody else:
--
--   ringfence_owner  owns schema "ringfence" and applies liquibase/changelog.xml; no application logs in as it
--   ringfence_app    what RINGFENCE_DB_USER names: reads and writes rows, makes no table, changes no audit entry,
--                    deletes no tenant, no event, no delivery, no attempt
--
-- Run as a superuser (or as the database's owner with CREATEROLE), in the product's database:
--
--   1. psql -d ringfence -f server-config/postgresql/roles.sql     makes roles and schemas
--   2. \password ringfence_owner and \password ringfence_app       this script sets none
--   3. the migration as ringfence_owner: Liquibase with liquibase/changelog.xml and
--      --default-schema-name=ringfence --liquibase-schema-name=ringfence
--   4. psql -d ringfence -f server-config/postgresql/roles.sql     again: now grants on what the migration made
--   5. the servers with RINGFENCE_DB_USER=ringfence_app and ringfence.schema.migrate=false
--
-- Steps 3 and 4 are repeated at each update. The script can run any number of times: it takes every right away first, so
-- that a right which a later version no longer needs disappears. Table by table on purpose: a new table without a line
-- here is one that the application cannot touch.

do $$
begin
  if not exists (select from pg_roles where rolname = 'ringfence_owner') then
    create role ringfence_owner login;
  end if;
  if not exists (select from pg_roles where rolname = 'ringfence_app') then
    create role ringfence_app login;
  end if;
  if to_regnamespace('ringfence') is null then
    create schema ringfence authorization ringfence_owner;
  end if;
  -- The batch runtime of the server makes its own tables, so the application owns this schema. Nothing of ours is in it.
  if to_regnamespace('ringfence_batch') is null then
    create schema ringfence_batch authorization ringfence_app;
  end if;
end
$$;

do $$
declare
  delivery_progress constant text := 'update (state, url, headers, cycle, cycle_started_at, cycle_attempts, attempts,'
    ' next_attempt_at, reservation_id, send_by, lease_until, reserved_by, accepted_at, last_code, last_status, discarded,'
    ' updated_at, finished_at, out_of_order)';
  item record;
begin
  execute format('revoke create, temporary on database %I from public', current_database());
  execute format('grant connect on database %I to ringfence_owner, ringfence_app', current_database());
  revoke all on schema ringfence from public;
  revoke all on all tables in schema ringfence from public, ringfence_app;
  revoke all on all sequences in schema ringfence from public, ringfence_app;
  revoke all on all functions in schema ringfence from public, ringfence_app;
  -- USAGE and no CREATE: no DDL.
  revoke all on schema ringfence from ringfence_app;
  grant usage on schema ringfence to ringfence_app;

  for item in
    select * from (values
      -- Whether the schema is current (ringfence.schema.migrate=false).
      ('databasechangelog', 'select'),
      ('apps', 'select, insert, update (name, enabled, min_skew_bound_ms, remote_erasure_url, remote_erasure_secret,'
        ' updated_at)'),
      ('api_keys', 'select, insert, update (name, roles, revoked_at)'),
      -- LC-1: identity is written once; no DELETE.
      ('tenant_lifecycle', 'select, insert, update (tenant, epoch, phase, last_redacted_at, enable_generation,'
        ' configuration_revision, published_theme_id, theme_checked_at, enabled, enrolled_at, updated_at)'),
      ('tenant_settings', 'select, insert, update (revision, settings, settings_text, updated_at)'),
      ('event_keys', 'select, insert'),
      -- RC-5: what was recorded cannot even be named in an UPDATE.
      ('outbox_events', 'select, insert, update (status, available_at, attempt_count, last_attempt_at, published_at,'
        ' locked_by, locked_until, last_error_code, last_error_message, updated_at)'),
      ('ordering_keys', 'select, insert, update (last_sequence)'),
      -- Kept by the database itself.
      ('order_blocks', 'select'),
      ('aggregates', 'select, insert, update (version, state, state_text, updated_at)'),
      ('operation_receipts', 'select, insert, update (outcome, version, event_ids, reason)'),
      ('idempotency_keys', 'select, insert, update, delete'),
      ('subscriptions', 'select, insert, update, delete'),
      ('subscription_secrets', 'select, insert, update, delete'),
      ('delivery_keys', 'select, insert'),
      -- No right on a week: rows move between partitions through the table itself. The hot partition is named by the
      -- statements that look for what is due.
      ('deliveries', 'select, insert, ' || delivery_progress),
      ('deliveries_live', 'select, ' || delivery_progress),
      ('feed_cursors', 'select, insert, update (xid, delivery_id, updated_at)'),
      ('delivery_attempts', 'select, insert, update (state, counted, finished_at, http_status, code, retry_after,'
        ' receipt, late_state, late_status, late_at)'),
      ('inbox_consumers', 'select, insert, update'),
      ('inbox_events', 'select, insert'),
      -- Erasure goes through ringfence.erase_tenant, so no DELETE anywhere for it. What a redaction is of is written once.
      -- Which tenant's rows go, redact_tenant alone writes.
      ('redactions', 'select, insert (id, app_id, tenant_hash, tenant, remote_erasure, status, requested_at, updated_at,'
        ' next_at), update (tenant, remote_erasure, status, updated_at, finished_at, next_at, locked_by, locked_until)'),
      ('redaction_stages', 'select, insert, update (status, attempts, code, updated_at)'),
      ('unresolved_markers', 'select, update (finding, resolved_at, resolved_by, late_state, late_status, late_at)'),
      ('app_cancellations', 'select, insert, update (disabled_at, barrier, cancelled, finished_at, enabled_from)'),
      ('jobs', 'select, insert, delete, update (status, code, done, total, place_at, place_id, failures, next_at, started_at,'
        ' finished_at)'),
      -- OP-1: append-only.
      ('audit_log', 'select, insert'),
      ('nodes', 'select, insert, update, delete')) as rights (table_name, privileges)
  loop
    if to_regclass('ringfence.' || item.table_name) is not null then
      execute format('grant %s on table ringfence.%I to ringfence_app', item.privileges, item.table_name);
    end if;
  end loop;

  if to_regclass('ringfence.ordinals') is not null then
    grant usage on sequence ringfence.ordinals to ringfence_app;
  end if;
  if to_regprocedure('ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb)') is not null then
    grant execute on function ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb) to ringfence_app;
  end if;
  if to_regprocedure('ringfence.ensure_partitions(timestamptz, integer)') is not null then
    grant execute on function ringfence.ensure_partitions(timestamptz, integer) to ringfence_app;
  end if;
  if to_regprocedure('ringfence.drop_events_week(timestamptz)') is not null then
    grant execute on function ringfence.drop_deliveries_week(timestamptz) to ringfence_app;
    grant execute on function ringfence.drop_events_week(timestamptz) to ringfence_app;
  end if;
  if to_regprocedure('ringfence.redact_tenant(uuid, uuid, interval)') is not null then
    grant execute on function ringfence.redact_tenant(uuid, uuid, interval) to ringfence_app;
    grant execute on function ringfence.erase_tenant(bigint, text, integer) to ringfence_app;
    grant execute on function ringfence.tenant_tables_left(bigint) to ringfence_app;
    grant execute on function ringfence.settings_lock(bytea, integer) to ringfence_app;
  end if;
end
$$;
