import type { Client } from 'pg';

/** Longer definitions are known by their hash. */
const longest = 160;

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
                  CASE WHEN c.relforcerowsecurity THEN 'FORCED' END)
   FROM relations c LEFT JOIN pg_am am ON am.oid = c.relam WHERE c.relkind IN ('r', 'p', 'f', 'm')
 UNION ALL
 SELECT 'index ' || c.full_name, pg_get_indexdef(c.oid) FROM relations c WHERE c.relkind IN ('i', 'I')
 UNION ALL
 SELECT 'view ' || c.full_name, pg_get_viewdef(c.oid) FROM relations c WHERE c.relkind IN ('v', 'm')
 UNION ALL
 SELECT format('constraint %I of %s', o.conname, c.full_name), pg_get_constraintdef(o.oid)
   FROM pg_constraint o JOIN relations c ON c.oid = o.conrelid
 UNION ALL
 SELECT format('trigger %I of %s', t.tgname, c.full_name), pg_get_triggerdef(t.oid)
   FROM pg_trigger t JOIN relations c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
 UNION ALL
 SELECT format('rule %I of %s', r.rulename, c.full_name), pg_get_ruledef(r.oid)
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
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'))
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

/** What is defined in two ways, each a phrase that has the place of both. What is on one only is left out. */
export function definedOtherwise(
  one: { server: string; definitions: Readonly<Record<string, string>> },
  other: typeof one,
): string[] {
  return Object.keys(one.definitions)
    .sort()
    .flatMap((name) => {
      const [here, there] = [one.definitions[name], other.definitions[name]];
      if (here === undefined || there === undefined || here === there) return [];
      return here.startsWith('MD5 ') || there.startsWith('MD5 ')
        ? [`${name} is not defined the same on ${one.server} and ${other.server}`]
        : [`${name} is (${here}) on ${one.server}, and (${there}) on ${other.server}`];
    });
}
