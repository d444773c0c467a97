import type pg from 'pg';

/**
 * Everything of the schema `public` that migrations can make, as sorted lines. The order of columns does not count.
 * Tables with rows are named with their number, except the list of migrations.
 */
export async function readSchema(client: pg.ClientBase): Promise<string[]> {
  const lines: string[] = [];
  for (const statement of statements) {
    const { rows } = await client.query<{ line: string }>(statement);
    lines.push(...rows.map(({ line }) => line));
  }
  return [...lines, ...(await readSeeds(client))].sort();
}

/** Rights, with the role of the migrations as `owner`. Null stands for the rights by default. */
const rights = (acl: string) => `coalesce(' rights ' || replace(${acl}::text, current_user, 'owner'), '')`;
const comment = (oid: string, catalogue: string, column = '0') =>
  `coalesce((select ' comment ' || description from pg_description
     where objoid = ${oid} and classoid = '${catalogue}'::regclass and objsubid = ${column}), '')`;
const isOurs = (namespace: string) => `${namespace} = 'public'::regnamespace`;

const statements = [
  `select 'extension ' || extname as line from pg_extension`,
  `select 'schema rights ' || replace(nspacl::text, current_user, 'owner') as line from pg_namespace
   where nspname = 'public'`,
  `select 'default rights ' || defaclobjtype::text || ' ' || defaclacl::text as line from pg_default_acl`,
  `select 'relation ' || relname || case relkind when 'r' then '' else ' kind ' || relkind::text end
     || case relpersistence when 'p' then '' else ' persistence ' || relpersistence::text end
     || coalesce(' with ' || array_to_string(reloptions, ', '), '')
     || case when relrowsecurity or relforcerowsecurity then ' row security' else '' end
     || case when relreplident in ('d', 'n') then '' else ' identity ' || relreplident::text end
     || ${rights('relacl')} || ${comment('c.oid', 'pg_class')} as line
   from pg_class c where ${isOurs('relnamespace')} and relkind not in ('i', 'I')`,
  `select format('column %s.%s %s', relname, attname, format_type(atttypid, atttypmod))
     || case when attnotnull then ' not null' else '' end
     || coalesce(' default ' || pg_get_expr(adbin, adrelid), '')
     || case attidentity when '' then '' else ' identity ' || attidentity::text end
     || case attgenerated when '' then '' else ' generated ' || attgenerated::text end
     || case attstorage when typstorage then '' else ' storage ' || attstorage::text end
     || case attcompression when '' then '' else ' compression ' || attcompression::text end
     || case attcollation when typcollation then '' else ' collation ' || attcollation::regcollation::text end
     || coalesce(' statistics ' || nullif(attstattarget, -1), '') || coalesce(' with ' || attoptions::text, '')
     || ${rights('attacl')} || ${comment('c.oid', 'pg_class', 'attnum')} as line
   from pg_attribute a
   join pg_class c on c.oid = attrelid
   join pg_type t on t.oid = atttypid
   left join pg_attrdef on adrelid = attrelid and adnum = attnum
   where ${isOurs('relnamespace')} and relkind in ('r', 'p', 'v', 'm', 'f') and attnum > 0 and not attisdropped`,
  // Each "not null" is a line of its column.
  `select format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
     || ${comment('c.oid', 'pg_constraint')} as line
   from pg_constraint c where ${isOurs('connamespace')} and contype <> 'n'`,
  `select 'constraint ' || conname as line from pg_constraint
   where ${isOurs('connamespace')} and contype = 'n' and conname not like '%_not_null'`,
  `select pg_get_indexdef(indexrelid) || case when indisvalid then '' else ' invalid' end
     || case when indisclustered then ' clustered' else '' end
     || case when indisreplident then ' identity' else '' end
     || coalesce((select ' statistics ' || string_agg(attnum || ' ' || attstattarget, ', ' order by attnum)
       from pg_attribute where attrelid = indexrelid and attstattarget >= 0), '')
     || ${comment('indexrelid', 'pg_class')} as line
   from pg_index join pg_class on pg_class.oid = indexrelid where ${isOurs('relnamespace')}`,
  `select regexp_replace(regexp_replace(pg_get_functiondef(p.oid), '--[^\n]*', '', 'g'), '\\s+', ' ', 'g')
     || ${rights('proacl')} || ${comment('p.oid', 'pg_proc')} as line
   from pg_proc p where ${isOurs('pronamespace')} and prokind <> 'a'
     and not exists (select from pg_depend where objid = p.oid and deptype = 'e')`,
  `select 'trigger ' || pg_get_triggerdef(t.oid) || ' enabled ' || tgenabled::text as line
   from pg_trigger t join pg_class c on c.oid = tgrelid where not tgisinternal and ${isOurs('relnamespace')}`,
  `select format('sequence %s of %s from %s by %s between %s and %s cache %s cycle %s', seqrelid::regclass,
     seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcache, seqcycle)
     || coalesce((select format(' belongs to %s.%s', refobjid::regclass, attname) from pg_depend
       join pg_attribute on attrelid = refobjid and attnum = refobjsubid
       where objid = seqrelid and deptype in ('a', 'i') and refobjsubid > 0), '') as line
   from pg_sequence join pg_class on pg_class.oid = seqrelid where ${isOurs('relnamespace')}`,
  `select 'rule ' || pg_get_ruledef(r.oid) as line
   from pg_rewrite r join pg_class c on c.oid = ev_class where ${isOurs('relnamespace')}`,
  `select 'policy ' || policyname || ' ' || tablename || ' ' || coalesce(qual, '') || ' ' || coalesce(with_check, '')
     as line
   from pg_policies where schemaname = 'public'`,
  `select format('type %s %s', typname, typtype) || coalesce(' of ' || nullif(typbasetype, 0)::regtype::text, '')
     || coalesce((select ' ' || string_agg(enumlabel, ' ' order by enumsortorder) from pg_enum
       where enumtypid = t.oid), '') as line
   from pg_type t where ${isOurs('typnamespace')} and typtype in ('d', 'e', 'r')`,
  `select 'statistics ' || pg_get_statisticsobjdef(oid) as line
   from pg_statistic_ext where ${isOurs('stxnamespace')}`,
  `select 'collation ' || collname as line from pg_collation where ${isOurs('collnamespace')}`,
  `select 'event trigger ' || evtname as line from pg_event_trigger`,
  `select 'publication ' || pubname as line from pg_publication`,
];

async function readSeeds(client: pg.ClientBase): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where ${isOurs('relnamespace')} and relkind = 'r' and relname <> 'migrations'`,
  );
  const lines: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int from public.${name}`);
    if (rows[0]?.count) lines.push(`rows ${name} ${rows[0].count}`);
  }
  return lines;
}
