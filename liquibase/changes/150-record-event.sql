--liquibase formatted sql logicalFilePath:ringfence/150-record-event.sql

-- RC-9: any program that shares the database records in its own transaction by one call:
--
--   select * from ringfence.record_event(app, tenant, epoch, request_started_at, skew_bound, event);
--
-- Same checks, same fence, same deduplication and the same ids as POST …/events. Refusals have a SQLSTATE each:
--
--   RF080  STALE_EPOCH: unknown tenant, or another epoch
--   RF081  TENANT_REDACTED
--   RF082  REQUEST_BEFORE_REDACTION
--   RF083  STALE_CONTEXT (milestones)
--   RF084  APP_DISABLED
--   RF085  INVALID; DETAIL begins with the JSON pointer
--   RF086  OCCURRENCE_KEY_REUSED
--   RF087  the transaction is not READ COMMITTED
--   RF088  QUEUE_FULL
--   RF089  the caller's time: absent, in the future, or its bound below the application's minimum
--   55P03  FENCE_TIMEOUT (lock_not_available): the tenant is being redacted or enrolled; repeat the transaction

--changeset ringfence:150-json-content splitStatements:false stripComments:false
-- What dev.ringfence.recording.ContentHash hashes, so that the same content is the same whichever way it came.
create function ringfence.json_content(value jsonb) returns bytea
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  kind constant text := jsonb_typeof(value);
  text_bytes bytea;
begin
  if kind = 'object' then
    return (select convert_to('o', 'UTF8') || int4send(count(*)::integer)
                || coalesce(string_agg(convert_to('k', 'UTF8') || int4send(octet_length(m.utf8)) || m.utf8
                     || ringfence.json_content(m.value), '' order by m.utf8), '')
              from (select convert_to(e.key, 'UTF8') as utf8, e.value from jsonb_each(value) as e) as m);
  elsif kind = 'array' then
    return (select convert_to('a', 'UTF8') || int4send(count(*)::integer)
                || coalesce(string_agg(ringfence.json_content(e.value), '' order by e.n), '')
              from jsonb_array_elements(value) with ordinality as e(value, n));
  elsif kind = 'string' then
    text_bytes := convert_to(value #>> '{}', 'UTF8');
    return convert_to('s', 'UTF8') || int4send(octet_length(text_bytes)) || text_bytes;
  elsif kind = 'number' then
    text_bytes := convert_to(trim_scale((value #>> '{}')::numeric)::text, 'UTF8');
    return convert_to('n', 'UTF8') || int4send(octet_length(text_bytes)) || text_bytes;
  elsif kind = 'boolean' then
    return convert_to(case when value = 'true' then 't' else 'f' end, 'UTF8');
  end if;
  return convert_to('0', 'UTF8');
end
$$;
revoke all on function ringfence.json_content(jsonb) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.json_content(jsonb);

--changeset ringfence:150-ksuid splitStatements:false stripComments:false
-- SG-2: 4 bytes of seconds and 16 bytes of payload, as 27 characters of base 62.
create function ringfence.ksuid(at timestamptz, payload bytea) returns text
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
declare
  alphabet constant text := '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  bytes constant bytea := int4send((floor(extract(epoch from at)) - 1400000000)::bigint::bit(32)::integer)
    || substring(payload from 1 for 16);
  number numeric := 0;
  written text := '';
begin
  for i in 0 .. 19 loop
    number := number * 256 + get_byte(bytes, i);
  end loop;
  for i in 1 .. 27 loop
    written := substr(alphabet, mod(number, 62)::integer + 1, 1) || written;
    number := div(number, 62);
  end loop;
  return written;
end
$$;
revoke all on function ringfence.ksuid(timestamptz, bytea) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.ksuid(timestamptz, bytea);

--changeset ringfence:150-instant splitStatements:false stripComments:false
-- RFC 3339 with an offset, cut (never rounded) to microseconds; null where the text is none or lies outside the years 1 to 9999.
create function ringfence.instant(value text) returns timestamptz
language plpgsql
stable
set search_path = pg_catalog, pg_temp
set timezone = 'UTC'
set datestyle = 'ISO'
as $$
declare
  parts constant text[] := regexp_match(value,
    '^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9])(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-5][0-9])$');
  at timestamptz;
begin
  if parts is null then
    return null;
  end if;
  at := (parts[1] || 'T' || parts[2] || coalesce(left(parts[3], 7), '') || upper(parts[4]))::timestamptz;
  return case when at >= '0001-01-01T00:00:00Z' and at < '10000-01-01T00:00:00Z' then at end;
exception when datetime_field_overflow or invalid_datetime_format or invalid_time_zone_displacement_value then
  return null;
end
$$;
revoke all on function ringfence.instant(text) from public;
create function ringfence.instant_text(at timestamptz) returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $$
  select regexp_replace(to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'), '0{1,3}$', '') || 'Z'
$$;
revoke all on function ringfence.instant_text(timestamptz) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.instant_text(timestamptz);
--rollback drop function ringfence.instant(text);

--changeset ringfence:150-check-event splitStatements:false stripComments:false
-- Refuses (RF085) what POST …/events would refuse; the first fault only.
create function ringfence.check_event(event jsonb) returns void
language plpgsql
stable
set search_path = pg_catalog, pg_temp
as $$
declare
  ids constant text[] := array['aggregateType', 'aggregateId', 'workspaceId', 'relationshipId', 'causationId', 'occurrenceKey',
    'orderingKey'];
  fault text;
  member record;
begin
  if event is null or jsonb_typeof(event) <> 'object' then
    raise exception using errcode = 'RF085', message = 'INVALID', detail = ': an event is a JSON object';
  end if;
  for member in select key, value, jsonb_typeof(value) as kind from jsonb_each(event) order by key loop
    fault := case
      when member.key in ('name', 'occurredAt') or member.key = any (ids) then
        case when member.kind <> 'string' then 'a string is required'
             when member.key = any (ids) and char_length(member.value #>> '{}') not between 1 and 200
               then '1 to 200 characters' end
      when member.key in ('actor', 'payload', 'metadata', 'context') then
        case when member.kind <> 'object' then 'an object is required' end
      when member.key = 'milestone' then
        case when member.kind <> 'boolean' then 'true or false' end
      else 'no such field'
    end;
    if fault is not null then
      raise exception using errcode = 'RF085', message = 'INVALID', detail = format('/%s: %s', member.key, fault);
    end if;
  end loop;
  fault := case
    when not event ? 'name' then '/name: required'
    when char_length(event ->> 'name') > 200
      or (event ->> 'name') !~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*(\.[a-z][a-z0-9]*(_[a-z0-9]+)*){2}\.v[1-9][0-9]{0,8}$'
      then '/name: context.aggregate.fact.vN in lower snake case'
    when not event ? 'aggregateType' then '/aggregateType: required'
    when not event ? 'aggregateId' then '/aggregateId: required'
    when not event ? 'payload' then '/payload: required'
    when not event ? 'occurredAt' then '/occurredAt: required'
    when ringfence.instant(event ->> 'occurredAt') is null then '/occurredAt: an RFC 3339 date-time with offset'
    when not event ? 'actor' then '/actor: required'
    when not event -> 'actor' ? 'type' then '/actor/type: required'
    when event #>> '{actor,type}' not in ('user', 'service', 'system') then '/actor/type: user, service or system'
    when event -> 'actor' ? 'id' and (jsonb_typeof(event #> '{actor,id}') <> 'string'
      or char_length(event #>> '{actor,id}') not between 1 and 200) then '/actor/id: 1 to 200 characters'
    when (event -> 'actor') - 'type' - 'id' <> '{}' then '/actor: no fields but type and id'
    when event -> 'milestone' = 'true' and not event ? 'context' then '/context: required with a milestone'
    when event ? 'context' and event -> 'milestone' is distinct from 'true' then '/context: belongs to a milestone'
    when event ? 'context' and ((event -> 'context') - 'configurationRevision' - 'publishedThemeId' - 'enableGeneration' <> '{}'
      or not event -> 'context' ?& array['configurationRevision', 'publishedThemeId', 'enableGeneration'])
      then '/context: configurationRevision, publishedThemeId and enableGeneration'
    when event ? 'context' and (event #>> '{context,configurationRevision}' !~ '^[0-9]{1,16}$'
      or jsonb_typeof(event #> '{context,configurationRevision}') <> 'number'
      or (event #>> '{context,configurationRevision}')::bigint > 9007199254740991)
      then '/context/configurationRevision: an integer from 0 to 2^53 - 1'
    when event ? 'context' and (event #>> '{context,enableGeneration}' !~ '^[0-9]{1,16}$'
      or jsonb_typeof(event #> '{context,enableGeneration}') <> 'number'
      or (event #>> '{context,enableGeneration}')::bigint > 9007199254740991)
      then '/context/enableGeneration: an integer from 0 to 2^53 - 1'
    when event ? 'context' and (jsonb_typeof(event #> '{context,publishedThemeId}') not in ('string', 'null')
      or char_length(event #>> '{context,publishedThemeId}') not between 1 and 200)
      then '/context/publishedThemeId: 1 to 200 characters, or null'
    when octet_length(event::text) > 1048576 then ': at most 1 MiB'
  end;
  if fault is not null then
    raise exception using errcode = 'RF085', message = 'INVALID', detail = fault;
  end if;
end
$$;
revoke all on function ringfence.check_event(jsonb) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.check_event(jsonb);

--changeset ringfence:150-record-event splitStatements:false stripComments:false
create function ringfence.record_event(app uuid, tenant text, epoch uuid, request_started_at timestamptz, skew_bound interval,
  event jsonb)
returns table (event_id text, ordinal bigint, deduplicated boolean)
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $$
#variable_conflict use_column
declare
  in_epoch constant uuid := record_event.epoch;
  in_event constant jsonb := record_event.event;
  in_app constant uuid := record_event.app;
  name_bytes constant bytea := convert_to(record_event.tenant, 'UTF8');
  tenant_key constant bytea :=
    sha256(int4send(16) || uuid_send(in_app) || int4send(octet_length(name_bytes)) || name_bytes);
  most_waiting constant bigint := coalesce(nullif(current_setting('ringfence.max_waiting', true), ''), '100000');
  milestone constant boolean := coalesce(in_event -> 'milestone' = 'true', false);
  life record;
  started timestamptz;
  occurred timestamptz;
  recorded timestamptz;
  new_ordinal bigint;
  new_id text;
  occurrence text;
  dedupe bytea;
  content bytea;
  envelope bytea;
  known record;
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception using errcode = 'RF087', message = 'record_event needs a transaction at READ COMMITTED',
      detail = 'What it reads under the fence must be newer than the fence.';
  end if;
  perform ringfence.check_event(in_event);
  -- FN-1: shared, until the transaction ends. Everything after it reads a newer snapshot (FN-4).
  perform pg_advisory_xact_lock_shared(('x' || encode(substring(tenant_key from 1 for 8), 'hex'))::bit(64)::bigint);
  select t.tenant_id, t.epoch, t.phase, t.last_redacted_at, t.enabled, t.configuration_revision, t.published_theme_id,
         t.enable_generation, a.enabled as app_enabled, a.min_skew_bound_ms
    into life
    from ringfence.tenant_lifecycle as t join ringfence.apps as a on a.id = t.app_id
   where t.app_id = in_app and t.tenant_hash = tenant_key;
  if not found then
    raise exception using errcode = 'RF080', message = 'STALE_EPOCH', detail = 'The tenant is not enrolled.';
  elsif life.phase <> 'ACTIVE' then
    raise exception using errcode = 'RF081', message = 'TENANT_REDACTED';
  elsif life.epoch is distinct from in_epoch then
    raise exception using errcode = 'RF080', message = 'STALE_EPOCH', detail = 'The tenant is enrolled under another epoch.';
  elsif record_event.request_started_at is null or not isfinite(record_event.request_started_at)
      or record_event.skew_bound is null
      or record_event.skew_bound < life.min_skew_bound_ms * interval '1 millisecond'
      or record_event.request_started_at > clock_timestamp() then
    raise exception using errcode = 'RF089', message = 'CLOCK_BOUND_UNAVAILABLE',
      detail = format('request_started_at is needed, not in the future, with a skew_bound of at least %s ms',
        life.min_skew_bound_ms);
  end if;
  started := record_event.request_started_at - record_event.skew_bound;
  if started <= life.last_redacted_at then
    raise exception using errcode = 'RF082', message = 'REQUEST_BEFORE_REDACTION';
  elsif not life.app_enabled then
    raise exception using errcode = 'RF084', message = 'APP_DISABLED';
  end if;

  occurred := ringfence.instant(in_event ->> 'occurredAt');
  content := sha256(ringfence.json_content(
    jsonb_set(in_event, '{occurredAt}', to_jsonb(ringfence.instant_text(occurred)))));
  if milestone then
    occurrence := to_json(in_event ->> 'name') || ','
      || coalesce(to_json(in_event ->> 'occurrenceKey')::text, in_event #>> '{context,configurationRevision}') || ','
      || coalesce(to_json(in_event #>> '{context,publishedThemeId}')::text, 'null') || ','
      || (in_event #>> '{context,enableGeneration}');
    dedupe := sha256('\x03'::bytea || int4send(0) || int4send(octet_length(convert_to(occurrence, 'UTF8')))
      || convert_to(occurrence, 'UTF8'));
  elsif in_event ? 'occurrenceKey' then
    dedupe := sha256('\x01'::bytea || int4send(0)
      || int4send(octet_length(convert_to(in_event ->> 'occurrenceKey', 'UTF8')))
      || convert_to(in_event ->> 'occurrenceKey', 'UTF8'));
  end if;

  if milestone and not exists (select from ringfence.event_keys k
      where k.tenant_id = life.tenant_id and k.epoch = in_epoch and k.dedupe_key = dedupe) then
    -- The context that is checked is the one that stands when this commits.
    perform from ringfence.tenant_lifecycle t
      where t.tenant_id = life.tenant_id and t.enabled
        and t.configuration_revision = (in_event #>> '{context,configurationRevision}')::bigint
        and t.published_theme_id is not distinct from in_event #>> '{context,publishedThemeId}'
        and t.enable_generation = (in_event #>> '{context,enableGeneration}')::bigint
      for share;
    if not found then
      raise exception using errcode = 'RF083', message = 'STALE_CONTEXT';
    end if;
  end if;
  if (select count(*) from (select from ringfence.deliveries_live d
        where d.tenant_id = life.tenant_id and d.state in ('pending', 'retrying') and d.mode = 'PUSH'
        limit most_waiting) as waiting) >= most_waiting then
    raise exception using errcode = 'RF088', message = 'QUEUE_FULL';
  end if;

  recorded := clock_timestamp();
  new_ordinal := nextval('ringfence.ordinals');
  if milestone then
    new_id := encode(sha256(convert_to('[' || to_json(in_app::text) || ',' || to_json(record_event.tenant) || ','
      || to_json(in_epoch::text) || ',' || occurrence || ']', 'UTF8')), 'hex');
  else
    new_id := 'evt_' || ringfence.ksuid(recorded, sha256(convert_to('evt_', 'UTF8') || int8send(new_ordinal)
      || sha256(uuid_send(in_app) || uuid_send(in_epoch) || int8send(life.tenant_id) || content)));
  end if;
  insert into ringfence.event_keys (event_id, tenant_id, epoch, dedupe_key, content_sha256, ordinal, recorded_at)
    values (new_id, life.tenant_id, in_epoch, dedupe, content, new_ordinal, recorded)
    on conflict (tenant_id, epoch, dedupe_key) where dedupe_key is not null do nothing;
  if not found then
    select k.event_id, k.ordinal, k.content_sha256 into strict known
      from ringfence.event_keys k
     where k.tenant_id = life.tenant_id and k.epoch = in_epoch and k.dedupe_key = dedupe;
    if not milestone and known.content_sha256 <> content then
      raise exception using errcode = 'RF086', message = 'OCCURRENCE_KEY_REUSED',
        detail = '/occurrenceKey: this key stands for another event';
    end if;
    return query select known.event_id, known.ordinal, true;
    return;
  end if;

  insert into ringfence.outbox_events (ordinal, tenant_id, app_id, epoch, request_started_at, event_id, event_name,
      event_version, occurred_at, recorded_at, producer, aggregate_type, aggregate_id, workspace_id, relationship_id, actor,
      correlation_id, causation_id, occurrence_key, ordering_key, milestone, payload, metadata, payload_bytes,
      payload_sha256, status, available_at, created_at, updated_at)
    select new_ordinal, life.tenant_id, in_app, in_epoch, started, new_id, e.name, e.version, occurred, recorded,
           split_part(e.name, '.', 1), e.type, e.id, e.workspace, e.relationship, e.actor, e.correlation, e.causation,
           in_event ->> 'occurrenceKey', in_event ->> 'orderingKey', milestone, e.payload, e.metadata, b.bytes,
           sha256(b.bytes), 'PENDING', recorded, recorded, recorded
      from (select in_event ->> 'name' as name,
                   substring(in_event ->> 'name' from '[0-9]+$')::integer as version,
                   in_event ->> 'aggregateType' as type, in_event ->> 'aggregateId' as id,
                   in_event ->> 'workspaceId' as workspace, in_event ->> 'relationshipId' as relationship,
                   in_event -> 'actor' as actor, in_event -> 'payload' as payload,
                   coalesce(in_event -> 'metadata', '{}') as metadata,
                   -- not issued by the API, so it proves nothing there (EV-4)
                   'cor_' || translate(encode('\x00'::bytea || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()),
                     'base64'), '+/', '-_') as correlation,
                   coalesce(in_event ->> 'causationId', 'req_' || gen_random_uuid()) as causation) as e
     cross join lateral (select convert_to('{"appId":' || to_json(in_app::text)
         || ',"eventId":' || to_json(new_id) || ',"eventName":' || to_json(e.name) || ',"eventVersion":' || e.version
         || ',"occurredAt":' || to_json(ringfence.instant_text(occurred))
         || ',"recordedAt":' || to_json(ringfence.instant_text(recorded))
         || ',"producer":' || to_json(split_part(e.name, '.', 1))
         || ',"aggregateType":' || to_json(e.type) || ',"aggregateId":' || to_json(e.id)
         || coalesce(',"workspaceId":' || to_json(e.workspace), '')
         || coalesce(',"relationshipId":' || to_json(e.relationship), '')
         || ',"actor":' || e.actor || ',"correlationId":' || to_json(e.correlation)
         || ',"causationId":' || to_json(e.causation)
         || ',"payload":' || e.payload || ',"metadata":' || e.metadata || '}', 'UTF8') as bytes) as b;
  return query select new_id, new_ordinal, false;
end
$$;
revoke all on function ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb) from public;
--rollback select ringfence.refuse_rollback();
--rollback drop function ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb);
