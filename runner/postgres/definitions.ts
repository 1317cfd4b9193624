import type { Client } from 'pg';

/** Longer definitions are known by their hash. */
const longest = 160;

/** Catalogues of what else there may be, of which it is enough to know that it is there: all but what initdb has made. */
const others = [
  'pg_namespace',
  'pg_extension',
  'pg_language',
  'pg_cast',
  'pg_operator',
  'pg_opclass',
  'pg_opfamily',
  'pg_am',
  'pg_collation',
  'pg_conversion',
  'pg_ts_config',
  'pg_ts_dict',
  'pg_event_trigger',
  'pg_foreign_data_wrapper',
  'pg_foreign_server',
  'pg_transform',
]
  .map((catalogue) => `SELECT '${catalogue}'::regclass, oid FROM ${catalogue} WHERE oid >= 16384`)
  .join(' UNION ALL ');

/** Unlike names, the text that a server makes of a definition depends on its major version. */
const queries = (relations: string): string => `WITH ${relations}, found AS (
 SELECT format('column %I of %s', a.attname, c.full_name) AS name,
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
                  CASE a.attgenerated WHEN '' THEN 'DEFAULT ' ELSE 'GENERATED AS ' END || pg_get_expr(d.adbin, d.adrelid),
                  'IDENTITY ' || nullif(a.attidentity::text, ''), 'COLLATE ' || nullif(a.attcollation, t.typcollation)::regcollation::text,
                  'STORAGE ' || nullif(a.attstorage, t.typstorage)::text, 'COMPRESSION ' || nullif(a.attcompression::text, ''),
                  'STATISTICS ' || nullif(a.attstattarget, -1)::text, array_to_string(a.attoptions, ' ')) AS definition
   FROM pg_attribute a JOIN relations c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
   LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f', 'm')
 UNION ALL
 SELECT 'table ' || c.full_name,
        concat_ws(' ', 'columns ' || (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                                       WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
                  'USING ' || am.amname, 'WITH ' || array_to_string(c.reloptions, ', '), pg_get_partkeydef(c.oid),
                  pg_get_expr(c.relpartbound, c.oid), CASE WHEN c.relrowsecurity THEN 'ROW LEVEL SECURITY' END,
                  CASE WHEN c.relforcerowsecurity THEN 'FORCED' END, 'REPLICA IDENTITY ' || nullif(c.relreplident, 'd')::text)
   FROM relations c LEFT JOIN pg_am am ON am.oid = c.relam WHERE c.relkind IN ('r', 'p', 'f', 'm')
 UNION ALL
 SELECT 'index ' || c.full_name,
        concat_ws(' ', pg_get_indexdef(c.oid), CASE WHEN i.indisclustered THEN 'CLUSTERED' END, CASE WHEN i.indisreplident THEN 'REPLICA IDENTITY' END)
   FROM relations c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relkind IN ('i', 'I')
 UNION ALL
 SELECT 'view ' || c.full_name, pg_get_viewdef(c.oid) FROM relations c WHERE c.relkind IN ('v', 'm')
 UNION ALL
 SELECT format('constraint %I of %s', o.conname, c.full_name), pg_get_constraintdef(o.oid)
   FROM pg_constraint o JOIN relations c ON c.oid = o.conrelid
 UNION ALL
 SELECT format('trigger %I of %s', t.tgname, c.full_name), pg_get_triggerdef(t.oid)
   FROM pg_trigger t JOIN relations c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
 UNION ALL
 SELECT format('rule %I of %s', r.rulename, c.full_name), concat_ws(' ', pg_get_ruledef(r.oid), 'FIRING ' || nullif(r.ev_enabled, 'O')::text)
   FROM pg_rewrite r JOIN relations c ON c.oid = r.ev_class WHERE c.relkind NOT IN ('v', 'm')
 UNION ALL
 SELECT format('policy %I of %s', p.polname, c.full_name),
        concat_ws(' ', p.polcmd, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END, p.polroles::regrole[]::text,
                  'USING ' || pg_get_expr(p.polqual, p.polrelid), 'CHECK ' || pg_get_expr(p.polwithcheck, p.polrelid))
   FROM pg_policy p JOIN relations c ON c.oid = p.polrelid
 UNION ALL
 SELECT format('statistics %I.%I', n.nspname, s.stxname), pg_get_statisticsobjdef(s.oid)
   FROM pg_statistic_ext s JOIN schemas n ON n.oid = s.stxnamespace
 UNION ALL
 SELECT 'sequence ' || c.full_name,
        format('%s START %s INCREMENT %s FROM %s TO %s CACHE %s%s', format_type(q.seqtypid, NULL), q.seqstart, q.seqincrement,
               q.seqmin, q.seqmax, q.seqcache, CASE WHEN q.seqcycle THEN ' CYCLE' END)
   FROM pg_sequence q JOIN relations c ON c.oid = q.seqrelid
 UNION ALL
 SELECT format('function %I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)),
        CASE WHEN p.prokind = 'a' THEN (SELECT g::text FROM pg_aggregate g WHERE g.aggfnoid = p.oid) ELSE pg_get_functiondef(p.oid) END
   FROM pg_proc p JOIN schemas n ON n.oid = p.pronamespace
  WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
 UNION ALL
 SELECT format('type %I.%I', n.nspname, t.typname),
        CASE t.typtype WHEN 'e' THEN (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid)
             ELSE concat_ws(' ', format_type(t.typbasetype, t.typtypmod), CASE WHEN t.typnotnull THEN 'NOT NULL' END, t.typdefault,
                            (SELECT string_agg(pg_get_constraintdef(oid), ' ' ORDER BY conname) FROM pg_constraint WHERE contypid = t.oid)) END
   FROM pg_type t JOIN schemas n ON n.oid = t.typnamespace
  WHERE t.typtype IN ('e', 'd')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e')
 UNION ALL
 SELECT 'type ' || c.full_name,
        (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
           FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)
   FROM relations c WHERE c.relkind = 'c'
 UNION ALL
 SELECT 'publication ' || quote_ident(p.pubname),
        concat_ws(' ', CASE WHEN p.puballtables THEN 'of all tables' END,
                  (SELECT string_agg(r.prrelid::regclass::text, ', ' ORDER BY r.prrelid::regclass::text) FROM pg_publication_rel r WHERE r.prpubid = p.oid))
   FROM pg_publication p
 UNION ALL
 SELECT concat_ws(' ', 'settings', 'of role ' || nullif(s.setrole, 0)::regrole::text, 'in database ' || d.datname),
        (SELECT string_agg(one, ', ' ORDER BY one) FROM unnest(s.setconfig) AS one)
   FROM pg_db_role_setting s LEFT JOIN pg_database d ON d.oid = s.setdatabase
  WHERE s.setdatabase = 0 OR d.datname = current_database()
 UNION ALL
 SELECT 'large objects', count(*)::text FROM pg_largeobject_metadata
 UNION ALL
 SELECT replace(i.type, '_', ' ') || ' ' || i.identity, 'there'
   FROM (${others}) AS o (class, id), pg_identify_object(o.class, o.id, 0) AS i
  WHERE i.identity !~ '^(pg_(toast_)?temp|pgduet_load)'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.id AND d.deptype IN ('e', 'i')))
SELECT name, CASE WHEN length(definition) <= $1 THEN definition ELSE 'MD5 ' || md5(definition) END AS definition
  FROM found WHERE definition IS NOT NULL`;

/**
 * How everything is defined that stands in the schemas of the user, by its name: `index public.by_name` is
 * `CREATE INDEX by_name ON public.customer USING btree (name)`.
 *
 * @param relations common table expressions `schemas` and `relations` with what is meant
 */
export async function definitionsOf(client: Client, relations: string): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; definition: string }>(queries(relations), [longest]);
  return Object.fromEntries(rows.map(({ name, definition }) => [name, definition]));
}

/**
 * What is defined in two ways, or on one server only, each a phrase that has the place of both.
 *
 * @param known names of which a difference was told
 */
export function definedOtherwise(
  one: { server: string; definitions: Readonly<Record<string, string>> },
  other: typeof one,
  known: ReadonlySet<string>,
): string[] {
  const whole = new Set([...known].map((name) => name.replace(/^(table|view) /, '')));
  /** What is missing with its table need not be told. */
  const isToldOf = (name: string): boolean => known.has(name) || whole.has(name.slice(name.lastIndexOf(' of ') + 4));
  return [...new Set([...Object.keys(one.definitions), ...Object.keys(other.definitions)])].sort().flatMap((name) => {
    const [here, there] = [one.definitions[name], other.definitions[name]];
    if (here === there || isToldOf(name)) return [];
    if (here === undefined || there === undefined) {
      const [has, lacks] = here === undefined ? [other, one] : [one, other];
      return [`${name} is on ${has.server}, and not on ${lacks.server}`];
    }
    return here.startsWith('MD5 ') || there.startsWith('MD5 ')
      ? [`${name} is not defined the same on ${one.server} and ${other.server}`]
      : [`${name} is (${here}) on ${one.server}, and (${there}) on ${other.server}`];
  });
}
