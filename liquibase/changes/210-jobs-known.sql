--liquibase formatted sql logicalFilePath:ringfence/210-jobs-known.sql

--changeset ringfence:210-jobs-known splitStatements:false stripComments:false
-- RD-1 g: jobs of operators are no tenant's rows (180).
create or replace function ringfence.tenant_tables_left(subject bigint) returns setof text
language plpgsql
stable
security definer
set search_path = pg_catalog, pg_temp
-- what was erased may be most of a table still, as the planner knows it
set enable_seqscan = off
as $$
declare
  known constant name[] := array[
    -- kept, and pseudonymous: what refuses stale work, who did what, and what the redaction itself is
    'tenant_lifecycle', 'audit_log', 'redactions', 'redaction_stages', 'unresolved_markers',
    -- not a tenant's
    'apps', 'api_keys', 'inbox_consumers', 'nodes', 'app_cancellations', 'jobs', 'databasechangelog', 'databasechangeloglock',
    -- gone with the row that says whose they are, in its transaction
    'subscription_secrets', 'delivery_keys', 'inbox_events'];
  hash bytea;
  candidate record;
  condition text;
  has_rows boolean;
begin
  select t.tenant_hash into hash from ringfence.tenant_lifecycle t where t.tenant_id = subject;
  for candidate in
    select c.relname as name, bool_or(a.attname = 'tenant_id') as by_id, bool_or(a.attname = 'tenant_hash') as by_hash
      from pg_class c
      left join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'ringfence'::regnamespace and c.relkind in ('r', 'p', 'm') and not c.relispartition
       and c.relname <> all (known)
     group by c.relname order by c.relname
  loop
    condition := case
      -- what a request that began after the boundary saved is not part of this
      when candidate.name = 'tenant_settings' then
        'x.tenant_hash = $2 and x.settings is not null and x.updated_at <='
          ' (select t.last_redacted_at from ringfence.tenant_lifecycle t where t.tenant_id = $1)'
      when candidate.by_id then 'x.tenant_id = $1'
      when candidate.by_hash then 'x.tenant_hash = $2'
      else 'true' end;
    execute format('select exists (select from ringfence.%I x where %s)', candidate.name, condition)
      into has_rows using subject, hash;
    if has_rows then
      return next candidate.name::text;
    end if;
  end loop;
end
$$;
--rollback select ringfence.refuse_rollback();
