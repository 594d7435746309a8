--liquibase formatted sql logicalFilePath:ringfence/211-erasure-by-state.sql

--changeset ringfence:211-erase-by-state splitStatements:false rollbackSplitStatements:false stripComments:false
-- RD-4: of what waits only the states named select the index that begins with the tenant; without them each chunk read what waits for all
-- tenants, which may be millions of rows in feeds. Only this selection of the function changes.
do $$
declare
  was constant text := pg_get_functiondef('ringfence.erase_tenant(bigint, text, integer)'::regprocedure);
  one constant text := 'ids := array(select d.id from ringfence.deliveries d where d.tenant_id = subject limit most);';
  two constant text := E'ids := array(select c.id from (\n'
    '        (select d.id from ringfence.deliveries d where d.tenant_id = subject and d.state in (''pending'', ''retrying'') limit most)\n'
    '        union all\n'
    '        (select d.id from ringfence.deliveries d where d.tenant_id = subject and d.state not in (''pending'', ''retrying'')\n'
    '          limit most)) c limit most);';
begin
  if strpos(was, one) = 0 then
    raise exception 'erase_tenant does not select deliveries as expected';
  end if;
  execute replace(was, one, two);
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   was constant text := pg_get_functiondef('ringfence.erase_tenant(bigint, text, integer)'::regprocedure);
--rollback   one constant text := 'ids := array(select d.id from ringfence.deliveries d where d.tenant_id = subject limit most);';
--rollback   two constant text := E'ids := array(select c.id from (\n'
--rollback     '        (select d.id from ringfence.deliveries d where d.tenant_id = subject and d.state in (''pending'', ''retrying'') limit most)\n'
--rollback     '        union all\n'
--rollback     '        (select d.id from ringfence.deliveries d where d.tenant_id = subject and d.state not in (''pending'', ''retrying'')\n'
--rollback     '          limit most)) c limit most);';
--rollback begin
--rollback   if strpos(was, two) = 0 then
--rollback     raise exception 'erase_tenant does not select deliveries as expected';
--rollback   end if;
--rollback   execute replace(was, two, one);
--rollback end
--rollback $$;

--changeset ringfence:211-search-by-state splitStatements:false rollbackSplitStatements:false stripComments:false
-- RD-1 g: the same of the search for what is left.
do $$
declare
  was constant text := pg_get_functiondef('ringfence.tenant_tables_left(bigint)'::regprocedure);
  one constant text := 'execute format(''select exists (select from ringfence.%I x where %s)'', candidate.name, condition)';
  two constant text := E'execute format(''select exists (select from %s x where %s)'',\n'
    '        case candidate.name\n'
    '          when ''deliveries'' then\n'
    '            ''(select l.tenant_id from ringfence.deliveries l where l.state in (''''pending'''', ''''retrying'''') union all''\n'
    '            '' select f.tenant_id from ringfence.deliveries f where f.state not in (''''pending'''', ''''retrying''''))''\n'
    '          else format(''ringfence.%I'', candidate.name) end, condition)';
begin
  if strpos(was, one) = 0 then
    raise exception 'tenant_tables_left does not search as expected';
  end if;
  execute replace(was, one, two);
end
$$;
--rollback select ringfence.refuse_rollback();
--rollback do $$
--rollback declare
--rollback   was constant text := pg_get_functiondef('ringfence.tenant_tables_left(bigint)'::regprocedure);
--rollback   one constant text := 'execute format(''select exists (select from ringfence.%I x where %s)'', candidate.name, condition)';
--rollback   two constant text := E'execute format(''select exists (select from %s x where %s)'',\n'
--rollback     '        case candidate.name\n'
--rollback     '          when ''deliveries'' then\n'
--rollback     '            ''(select l.tenant_id from ringfence.deliveries l where l.state in (''''pending'''', ''''retrying'''') union all''\n'
--rollback     '            '' select f.tenant_id from ringfence.deliveries f where f.state not in (''''pending'''', ''''retrying''''))''\n'
--rollback     '          else format(''ringfence.%I'', candidate.name) end, condition)';
--rollback begin
--rollback   if strpos(was, two) = 0 then
--rollback     raise exception 'tenant_tables_left does not search as expected';
--rollback   end if;
--rollback   execute replace(was, two, one);
--rollback end
--rollback $$;
