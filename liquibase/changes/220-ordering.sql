--liquibase formatted sql logicalFilePath:ringfence/220-ordering.sql

--changeset ringfence:220-ordering-keys
-- OB-5: the last number that an event of the key was given. The recording transaction takes the next one by updating this row, and keeps the
-- row locked until it ends: so the order of the numbers is the order of the commits, none is missing, and whoever sees number n + 1 sees n.
create table ringfence.ordering_keys (
  tenant_id bigint not null,
  ordering_key text not null,
  last_sequence bigint not null check (last_sequence > 0),
  primary key (tenant_id, ordering_key)
) with (fillfactor = 50);
create trigger ordering_keys_forward
  before update on ringfence.ordering_keys
  for each row
  when (new.tenant_id <> old.tenant_id or new.ordering_key <> old.ordering_key or new.last_sequence <= old.last_sequence)
  execute function ringfence.refuse('RF014', 'the numbers of an ordering key only grow', 'last_sequence');
create trigger ordering_keys_erasure_only
  before delete or truncate on ringfence.ordering_keys
  for each statement
  when (current_setting('ringfence.erasure', true) is distinct from 'on')
  execute function ringfence.refuse('RF050', 'ordering keys are deleted by erasure only');
--rollback select ringfence.refuse_rollback();
--rollback drop table ringfence.ordering_keys;

--changeset ringfence:220-outbox-sequence
-- Null without an ordering key, and of events that were recorded before there were numbers: those have no order.
alter table ringfence.outbox_events add column order_sequence bigint;
create trigger outbox_sequence_fixed
  before update of order_sequence on ringfence.outbox_events
  for each row
  execute function ringfence.refuse('RF010', 'a recorded event never changes; erasure deletes it', 'ordinal');
create index outbox_events_order on ringfence.outbox_events (tenant_id, ordering_key, order_sequence)
  where order_sequence is not null and status in ('PENDING', 'CLAIMED', 'FAILED_RETRYABLE');
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.outbox_events_order;
--rollback drop trigger outbox_sequence_fixed on ringfence.outbox_events;
--rollback alter table ringfence.outbox_events drop column order_sequence;

--changeset ringfence:220-delivery-order
-- A delivery of a subscription that keeps the order is held until its turn: due at infinity, so nothing that looks for what is due sees it.
alter table ringfence.deliveries add column order_key text;
alter table ringfence.deliveries add column order_sequence bigint;
-- it was sent after later ones of its key had left
alter table ringfence.deliveries add column out_of_order boolean not null default false;
create trigger deliveries_order_fixed
  before update of order_key, order_sequence on ringfence.deliveries
  for each row
  execute function ringfence.refuse('RF021', 'what a delivery sends, and for whom, never changes', 'id');
create index deliveries_live_order on ringfence.deliveries_live (subscription_id, order_key, order_sequence)
  where order_key is not null;
-- whether later ones have left, when an operator sends an earlier one again
create index deliveries_finished_order on ringfence.deliveries_finished (subscription_id, order_key, order_sequence)
  where order_key is not null;
--rollback select ringfence.refuse_rollback();
--rollback drop index ringfence.deliveries_finished_order;
--rollback drop index ringfence.deliveries_live_order;
--rollback drop trigger deliveries_order_fixed on ringfence.deliveries;
--rollback alter table ringfence.deliveries drop column out_of_order;
--rollback alter table ringfence.deliveries drop column order_sequence;
--rollback alter table ringfence.deliveries drop column order_key;

--changeset ringfence:220-order-blocks splitStatements:false stripComments:false
-- onDead BLOCK: the dead deliveries that hold their key, kept where deliveries die, since dead ones live in weeks that nobody wants to
-- search. A row goes when its delivery is put back or discarded.
create table ringfence.order_blocks (
  subscription_id uuid not null references ringfence.subscriptions on delete cascade,
  order_key text not null,
  delivery_id bigint not null,
  order_sequence bigint not null,
  tenant_id bigint not null,
  created_at timestamptz not null,
  primary key (subscription_id, order_key, delivery_id)
);
create index order_blocks_tenant on ringfence.order_blocks (tenant_id);
create function ringfence.keep_order_blocks() returns trigger
language plpgsql
security definer
set search_path = pg_catalog, pg_temp
as $$
begin
  if new.state = 'dead' and not new.discarded then
    insert into ringfence.order_blocks (subscription_id, order_key, delivery_id, order_sequence, tenant_id, created_at)
      select new.subscription_id, new.order_key, new.id, new.order_sequence, new.tenant_id, new.updated_at
        from ringfence.subscriptions s
       where s.id = new.subscription_id and s.ordering = 'KEY' and s.on_dead = 'BLOCK'
         for key share of s
      on conflict do nothing;
  else
    delete from ringfence.order_blocks b
     where b.subscription_id = new.subscription_id and b.order_key = new.order_key and b.delivery_id = new.id;
  end if;
  return new;
end
$$;
revoke all on function ringfence.keep_order_blocks() from public;
create trigger deliveries_order_blocks
  before update of state, discarded on ringfence.deliveries
  for each row
  when (new.order_key is not null
    and (new.state = 'dead' and not new.discarded) <> (old.state = 'dead' and not old.discarded))
  execute function ringfence.keep_order_blocks();
--rollback select ringfence.refuse_rollback();
--rollback drop trigger deliveries_order_blocks on ringfence.deliveries;
--rollback drop function ringfence.keep_order_blocks();
--rollback drop table ringfence.order_blocks;

--changeset ringfence:220-record-event-order splitStatements:false rollbackSplitStatements:false stripComments:false
-- RC-9: record_event numbers events with an ordering key as the application does. Only these places of the function change.
do $$
declare
  def text := pg_get_functiondef('ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb)'::regprocedure);
  change record;
begin
  for change in select * from (values
    (1, E'  known record;\nbegin\n', E'  known record;\n  new_sequence bigint;\nbegin\n'),
    (2, E'    return;\n  end if;\n\n  insert into ringfence.outbox_events',
      E'    return;\n  end if;\n\n'
      '  -- Only what is new takes a number; the key is held until this transaction ends.\n'
      '  if in_event ? ''orderingKey'' then\n'
      '    insert into ringfence.ordering_keys as k (tenant_id, ordering_key, last_sequence)\n'
      '      values (life.tenant_id, in_event ->> ''orderingKey'', 1)\n'
      '      on conflict (tenant_id, ordering_key) do update set last_sequence = k.last_sequence + 1\n'
      '      returning k.last_sequence into new_sequence;\n'
      '  end if;\n'
      '  insert into ringfence.outbox_events'),
    (3, 'occurrence_key, ordering_key, milestone, payload,', 'occurrence_key, ordering_key, order_sequence, milestone, payload,'),
    (4, 'in_event ->> ''orderingKey'', milestone, e.payload,', 'in_event ->> ''orderingKey'', new_sequence, milestone, e.payload,'),
    (5, '|| e.metadata || ''}'', ''UTF8'')',
      E'|| e.metadata\n         || coalesce('',"orderingKey":'' || to_json(in_event ->> ''orderingKey'')'
      ' || '',"orderingSequence":'' || new_sequence, '''') || ''}'', ''UTF8'')')) as c (n, was, becomes)
    order by n
  loop
    if strpos(def, change.was) = 0 then
      raise exception 'record_event does not read as expected at place %', change.n;
    end if;
    def := replace(def, change.was, change.becomes);
  end loop;
  execute def;
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   def text := pg_get_functiondef('ringfence.record_event(uuid, text, uuid, timestamptz, interval, jsonb)'::regprocedure);
--rollback   change record;
--rollback begin
--rollback   for change in select * from (values
--rollback     (1, E'  known record;\nbegin\n', E'  known record;\n  new_sequence bigint;\nbegin\n'),
--rollback     (2, E'    return;\n  end if;\n\n  insert into ringfence.outbox_events',
--rollback       E'    return;\n  end if;\n\n'
--rollback       '  -- Only what is new takes a number; the key is held until this transaction ends.\n'
--rollback       '  if in_event ? ''orderingKey'' then\n'
--rollback       '    insert into ringfence.ordering_keys as k (tenant_id, ordering_key, last_sequence)\n'
--rollback       '      values (life.tenant_id, in_event ->> ''orderingKey'', 1)\n'
--rollback       '      on conflict (tenant_id, ordering_key) do update set last_sequence = k.last_sequence + 1\n'
--rollback       '      returning k.last_sequence into new_sequence;\n'
--rollback       '  end if;\n'
--rollback       '  insert into ringfence.outbox_events'),
--rollback     (3, 'occurrence_key, ordering_key, milestone, payload,', 'occurrence_key, ordering_key, order_sequence, milestone, payload,'),
--rollback     (4, 'in_event ->> ''orderingKey'', milestone, e.payload,', 'in_event ->> ''orderingKey'', new_sequence, milestone, e.payload,'),
--rollback     (5, '|| e.metadata || ''}'', ''UTF8'')',
--rollback       E'|| e.metadata\n         || coalesce('',"orderingKey":'' || to_json(in_event ->> ''orderingKey'')'
--rollback       ' || '',"orderingSequence":'' || new_sequence, '''') || ''}'', ''UTF8'')')) as c (n, was, becomes)
--rollback     order by n
--rollback   loop
--rollback     if strpos(def, change.becomes) = 0 then
--rollback       raise exception 'record_event does not read as expected at place %', change.n;
--rollback     end if;
--rollback     def := replace(def, change.becomes, change.was);
--rollback   end loop;
--rollback   execute def;
--rollback end
--rollback $$;

--changeset ringfence:220-erase-order splitStatements:false rollbackSplitStatements:false stripComments:false
-- RD-4: keys and blocks are the tenant's. Only these kinds are new.
do $$
declare
  was constant text := pg_get_functiondef('ringfence.erase_tenant(bigint, text, integer)'::regprocedure);
  before constant text := E'    when ''aggregates'' then\n';
begin
  if strpos(was, before) = 0 then
    raise exception 'erase_tenant does not read as expected';
  end if;
  execute replace(was, before,
    E'    when ''order_blocks'' then\n'
    '      delete from ringfence.order_blocks x\n'
    '       where x.ctid = any (array(select a.ctid from ringfence.order_blocks a where a.tenant_id = subject limit most));\n'
    '    when ''ordering_keys'' then\n'
    '      delete from ringfence.ordering_keys x\n'
    '       where x.ctid = any (array(select a.ctid from ringfence.ordering_keys a where a.tenant_id = subject limit most));\n'
    || before);
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   was constant text := pg_get_functiondef('ringfence.erase_tenant(bigint, text, integer)'::regprocedure);
--rollback   before constant text := E'    when ''aggregates'' then\n';
--rollback begin
--rollback   if strpos(was, before) = 0 then
--rollback     raise exception 'erase_tenant does not read as expected';
--rollback   end if;
--rollback   execute replace(was,
--rollback     E'    when ''order_blocks'' then\n'
--rollback     '      delete from ringfence.order_blocks x\n'
--rollback     '       where x.ctid = any (array(select a.ctid from ringfence.order_blocks a where a.tenant_id = subject limit most));\n'
--rollback     '    when ''ordering_keys'' then\n'
--rollback     '      delete from ringfence.ordering_keys x\n'
--rollback     '       where x.ctid = any (array(select a.ctid from ringfence.ordering_keys a where a.tenant_id = subject limit most));\n'
--rollback     || before,
--rollback     before);
--rollback end
--rollback $$;
