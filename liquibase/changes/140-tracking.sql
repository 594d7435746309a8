--liquibase formatted sql logicalFilePath:ringfence/140-tracking.sql

--changeset ringfence:140-tenant-settings
-- RC-2: the business data of a save. By the tenant's hash and not by tenant_id: a save needs no lifecycle row and makes
-- none (LC-2). Erasure empties the settings and leaves the revision, which never goes back (LC-9).
create table ringfence.tenant_settings (
  app_id uuid not null references ringfence.apps,
  tenant_hash bytea not null check (octet_length(tenant_hash) = 32),
  -- up to 2^53 - 1, which every JSON reader holds
  revision bigint not null check (revision between 1 and 9007199254740991),
  -- a copy for searching; null once erased
  settings jsonb,
  -- as it was submitted
  settings_text text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (app_id, tenant_hash),
  constraint tenant_settings_both check ((settings is null) = (settings_text is null))
);
create trigger settings_forward
  before update of revision on ringfence.tenant_settings
  for each row
  when (new.revision < old.revision)
  execute function ringfence.refuse('RF070', 'the revision of settings only moves forward', 'revision');
create trigger settings_kept
  before delete or truncate on ringfence.tenant_settings
  for each statement
  execute function ringfence.refuse('RF071', 'rows of settings are emptied, never deleted');
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.tenant_settings;
