-- The catalog of schema "ringfence" as lines of text (see CatalogIT).
with classes as (
  select c.*
    from pg_class c
   where c.relnamespace = 'ringfence'::regnamespace and c.relname not like 'databasechangelog%'
)
select line from (
  select format('schema %s grants %s', n.nspname, (
           select coalesce(string_agg(format('%s:%s', case when a.grantee = n.nspowner then 'owner'
                    when a.grantee = 0 then 'public' else a.grantee::regrole::text end, a.privilege_type), ' '
                    order by a.grantee, a.privilege_type), '-')
             from aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a)) as line
    from pg_namespace n where n.nspname = 'ringfence'
  union all
  select format('%s %s%s%s%s', case c.relkind when 'r' then 'table' when 'p' then 'partitioned table'
             when 'v' then 'view' when 'S' then 'sequence' else 'relation ' || c.relkind::text end, c.relname,
           case when c.relkind = 'p' then ' by ' || pg_get_partkeydef(c.oid) end,
           case when c.relispartition then ' of ' || (select i.inhparent::regclass::text from pg_inherits i where i.inhrelid = c.oid)
             || ' ' || pg_get_expr(c.relpartbound, c.oid) end,
           case when c.reloptions is not null then ' with ' || (select string_agg(o, ', ' order by o) from unnest(c.reloptions) o) end)
    from classes c where c.relkind not in ('i', 'I')
  union all
  select format('grants %s: %s', c.relname, (
           select coalesce(string_agg(format('%s:%s', case when a.grantee = c.relowner then 'owner'
                    when a.grantee = 0 then 'public' else a.grantee::regrole::text end, a.privilege_type), ' '
                    order by a.grantee, a.privilege_type), '-')
             from aclexplode(c.relacl) a))
    from classes c where c.relacl is not null
  union all
  select format('column %s.%s %s %s%s%s storage %s', c.relname, lpad(a.attnum::text, 2, '0'), a.attname,
           format_type(a.atttypid, a.atttypmod), case when a.attnotnull then ' not null' end,
           case when a.attidentity <> '' then ' identity ' || a.attidentity::text
                when a.attgenerated <> '' then ' generated ' || pg_get_expr(d.adbin, d.adrelid)
                when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) end,
           a.attstorage)
    from classes c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
   where c.relkind in ('r', 'p', 'v')
  union all
  select format('constraint %s.%s %s', c.relname, o.conname, pg_get_constraintdef(o.oid))
    from classes c join pg_constraint o on o.conrelid = c.oid
   where o.contype in ('c', 'p', 'u', 'f', 'x')
  union all
  select format('index %s', pg_get_indexdef(c.oid)) from classes c where c.relkind in ('i', 'I')
  union all
  select format('trigger %s: %s%s', c.relname, pg_get_triggerdef(t.oid), case t.tgenabled when 'O' then '' else ' DISABLED' end)
    from classes c join pg_trigger t on t.tgrelid = c.oid and not t.tgisinternal
  union all
  select format('sequence %s %s start %s increment %s min %s max %s cache %s cycle %s', c.relname, s.seqtypid::regtype,
           s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache, s.seqcycle)
    from classes c join pg_sequence s on s.seqrelid = c.oid
  union all
  select format('function %s(%s) returns %s language %s%s volatility %s set %s md5 %s grants %s', p.proname,
           pg_get_function_identity_arguments(p.oid), pg_get_function_result(p.oid), l.lanname,
           case when p.prosecdef then ' security definer' end, p.provolatile, coalesce(p.proconfig::text, '-'), md5(p.prosrc), (
           select coalesce(string_agg(format('%s:%s', case when a.grantee = p.proowner then 'owner'
                    when a.grantee = 0 then 'public' else a.grantee::regrole::text end, a.privilege_type), ' '
                    order by a.grantee, a.privilege_type), '-')
             from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a))
    from pg_proc p join pg_language l on l.oid = p.prolang
   where p.pronamespace = 'ringfence'::regnamespace
  union all
  select format('type %s %s', t.typname, t.typtype)
    from pg_type t
   where t.typnamespace = 'ringfence'::regnamespace and t.typtype in ('e', 'd', 'r', 'm')
) lines
order by line collate "C"
