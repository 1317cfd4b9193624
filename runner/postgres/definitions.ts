import * as z from 'zod';
import type { Client } from './client.ts';
import { minOwnLimit } from './own-database.ts';

/** Longer definitions are replaced by their hash. */
const longest = 160;
const hash = 'MD5 ';

/** Full name of a function `p` in the schema `n`. */
export const functionName = `format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid))`;

/** Options that may contain a password are compared by their hash, and not kept. */
const hashed = (options: string): string => `'${hash}' || md5(${options}::text)`;

/** Privileges granted or revoked, compared with the defaults of the owner and PUBLIC, which depend on the version. */
const privileges = (acl: string, kind: string, owner: string): string => `CASE WHEN ${acl} IS NOT NULL THEN (
   SELECT string_agg(concat_ws(' ', CASE WHEN d.grantor IS NULL THEN 'GRANT' ELSE 'REVOKE' END, privilege_type,
                               CASE WHEN d.grantor IS NULL THEN 'TO' ELSE 'FROM' END,
                               CASE grantee WHEN 0 THEN 'PUBLIC' WHEN ${owner} THEN 'the owner' ELSE grantee::regrole::text END,
                               CASE WHEN is_grantable THEN 'WITH GRANT OPTION' END),
                     ', ' ORDER BY grantee::regrole::text COLLATE "C", privilege_type COLLATE "C", is_grantable)
     FROM aclexplode(${acl}) a FULL JOIN aclexplode(acldefault(${kind}, ${owner})) d USING (grantee, privilege_type, is_grantable)
    WHERE a.grantor IS NULL OR d.grantor IS NULL) END`;

/**
 * Catalogues of other kinds of objects, without the objects that initdb made. For some, it is enough that the object
 * exists.
 */
const others = Object.entries({
  pg_namespace: `'there'`,
  pg_extension: `'there'`,
  pg_language: `'there'`,
  pg_cast: `concat_ws(' ', castfunc::regprocedure, castcontext, castmethod)`,
  pg_operator: `concat_ws(' ', oprcode::regprocedure, oprcom::regoperator, oprnegate::regoperator, oprrest, oprjoin, oprcanmerge, oprcanhash)`,
  pg_opclass: `'there'`,
  pg_opfamily: `'there'`,
  pg_am: `'there'`,
  // Leaves out the version, which is that of a library of the operating system.
  pg_collation: `(to_jsonb(pg_collation) - '{oid,collname,collnamespace,collowner,collversion}'::text[])::text`,
  pg_conversion: `'there'`,
  pg_ts_config: `(SELECT string_agg(concat_ws(' ', maptokentype, mapdict::regdictionary), ', ' ORDER BY maptokentype, mapseqno)
                    FROM pg_ts_config_map WHERE mapcfg = pg_ts_config.oid)`,
  pg_ts_dict: `dictinitoption`,
  pg_event_trigger: `concat_ws(' ', evtevent, evtfoid::regprocedure, evttags)`,
  pg_foreign_data_wrapper: hashed('fdwoptions'),
  pg_foreign_server: hashed('srvoptions'),
  pg_transform: `'there'`,
})
  .map(
    ([catalogue, definition]) =>
      `SELECT '${catalogue}'::regclass, oid, coalesce(${definition}, 'there') FROM ${catalogue} WHERE oid >= 16384`,
  )
  .join(' UNION ALL ');

/**
 * Unlike names, the text of a definition depends on the server's major version. No text may contain an OID, which
 * differs between servers. Only settings of roles that apply to sessions of this user count, since a provider has roles
 * of its own; on a server of somebody's, also this role is not part of what was loaded.
 */
const queries = (relations: string): string => `WITH ${relations}, found AS (
 SELECT 'column' AS kind, quote_ident(a.attname) AS name, c.full_name AS of,
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
                  CASE a.attgenerated WHEN '' THEN 'DEFAULT ' ELSE 'GENERATED AS ' END || pg_get_expr(d.adbin, d.adrelid),
                  'IDENTITY ' || nullif(a.attidentity::text, ''), 'COLLATE ' || nullif(a.attcollation, t.typcollation)::regcollation::text,
                  'STORAGE ' || nullif(a.attstorage, t.typstorage)::text, 'COMPRESSION ' || nullif(a.attcompression::text, ''),
                  'STATISTICS ' || nullif(a.attstattarget, -1)::text, array_to_string(a.attoptions, ' '),
                  'OPTIONS ' || md5(a.attfdwoptions::text)) AS definition
   FROM pg_attribute a JOIN relations c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
   LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
 UNION ALL
 SELECT 'table', c.full_name, NULL,
        concat_ws(' ', 'columns ' || (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
                                       WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped),
                  'USING ' || am.amname, 'WITH ' || array_to_string(c.reloptions, ', '),
                  'TOAST WITH ' || (SELECT array_to_string(reloptions, ', ') FROM pg_class WHERE oid = c.reltoastrelid),
                  'TABLESPACE ' || s.spcname,
                  'INHERITS ' || (SELECT string_agg(inhparent::regclass::text, ', ' ORDER BY inhseqno) FROM pg_inherits WHERE inhrelid = c.oid),
                  (SELECT concat_ws(' ', 'SERVER', srvname, 'OPTIONS ' || md5(ftoptions::text))
                     FROM pg_foreign_table JOIN pg_foreign_server f ON f.oid = ftserver WHERE ftrelid = c.oid), pg_get_partkeydef(c.oid),
                  pg_get_expr(c.relpartbound, c.oid), CASE WHEN c.relrowsecurity THEN 'ROW LEVEL SECURITY' END,
                  CASE WHEN c.relforcerowsecurity THEN 'FORCED' END, 'REPLICA IDENTITY ' || nullif(c.relreplident, 'd')::text)
   FROM relations c LEFT JOIN pg_am am ON am.oid = c.relam LEFT JOIN pg_tablespace s ON s.oid = c.reltablespace
  WHERE c.relkind IN ('r', 'p', 'f', 'm')
 UNION ALL
 SELECT 'index', c.full_name, NULL,
        concat_ws(' ', pg_get_indexdef(c.oid), 'TABLESPACE ' || s.spcname, CASE WHEN i.indisclustered THEN 'CLUSTERED' END, CASE WHEN i.indisreplident THEN 'REPLICA IDENTITY' END)
   FROM relations c JOIN pg_index i ON i.indexrelid = c.oid LEFT JOIN pg_tablespace s ON s.oid = c.reltablespace
  WHERE c.relkind IN ('i', 'I')
 UNION ALL
 SELECT 'view', c.full_name, NULL, concat_ws(' ', 'WITH ' || array_to_string(c.reloptions, ', '), pg_get_viewdef(c.oid)) FROM relations c WHERE c.relkind IN ('v', 'm')
 UNION ALL
 SELECT 'constraint', quote_ident(o.conname), c.full_name, pg_get_constraintdef(o.oid)
   FROM pg_constraint o JOIN relations c ON c.oid = o.conrelid
 UNION ALL
 SELECT 'trigger', quote_ident(t.tgname), c.full_name, pg_get_triggerdef(t.oid)
   FROM pg_trigger t JOIN relations c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal
 UNION ALL
 SELECT 'rule', quote_ident(r.rulename), c.full_name, concat_ws(' ', pg_get_ruledef(r.oid), 'FIRING ' || nullif(r.ev_enabled, 'O')::text)
   FROM pg_rewrite r JOIN relations c ON c.oid = r.ev_class WHERE r.rulename <> '_RETURN'
 UNION ALL
 SELECT 'policy', quote_ident(p.polname), c.full_name,
        concat_ws(' ', p.polcmd, CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END, p.polroles::regrole[]::text,
                  'USING ' || pg_get_expr(p.polqual, p.polrelid), 'CHECK ' || pg_get_expr(p.polwithcheck, p.polrelid))
   FROM pg_policy p JOIN relations c ON c.oid = p.polrelid
 UNION ALL
 SELECT 'statistics', format('%I.%I', n.nspname, s.stxname), NULL, pg_get_statisticsobjdef(s.oid)
   FROM pg_statistic_ext s JOIN schemas n ON n.oid = s.stxnamespace
 UNION ALL
 SELECT 'sequence', c.full_name, NULL,
        format('%s START %s INCREMENT %s FROM %s TO %s CACHE %s%s', format_type(q.seqtypid, NULL), q.seqstart, q.seqincrement,
               q.seqmin, q.seqmax, q.seqcache, CASE WHEN q.seqcycle THEN ' CYCLE' END)
   FROM pg_sequence q JOIN relations c ON c.oid = q.seqrelid
 UNION ALL
 SELECT 'function', ${functionName}, NULL,
        CASE WHEN p.prokind = 'a' THEN (
          SELECT concat_ws(' ', (to_jsonb(a) - '{aggfnoid,aggtranstype,aggmtranstype,aggsortop}'::text[])::text, format_type(a.aggtranstype, NULL), format_type(a.aggmtranstype, NULL),
                           a.aggsortop::regoperator, 'PARALLEL ' || p.proparallel::text)
            FROM pg_aggregate a WHERE a.aggfnoid = p.oid) ELSE pg_get_functiondef(p.oid) END
   FROM pg_proc p JOIN schemas n ON n.oid = p.pronamespace
  WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
 UNION ALL
 SELECT 'type', format('%I.%I', n.nspname, t.typname), NULL,
        CASE t.typtype WHEN 'e' THEN (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid)
             ELSE concat_ws(' ', format_type(t.typbasetype, t.typtypmod), CASE WHEN t.typnotnull THEN 'NOT NULL' END, t.typdefault,
                            (SELECT string_agg(pg_get_constraintdef(oid), ' ' ORDER BY conname) FROM pg_constraint WHERE contypid = t.oid)) END
   FROM pg_type t JOIN schemas n ON n.oid = t.typnamespace
  WHERE t.typtype IN ('e', 'd')
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e')
 UNION ALL
 SELECT 'type', c.full_name, NULL,
        (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
           FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped)
   FROM relations c WHERE c.relkind = 'c'
 UNION ALL
 SELECT 'publication', quote_ident(p.pubname), NULL,
        concat_ws(' ', (to_jsonb(p) - '{oid,pubname,pubowner}'::text[])::text,
                  (SELECT string_agg((to_jsonb(t) - 'pubname')::text, ', ' ORDER BY t.schemaname, t.tablename)
                     FROM pg_publication_tables t WHERE t.pubname = p.pubname))
   FROM pg_publication p
 UNION ALL
 SELECT 'settings', concat_ws(' ', 'of role ' || nullif(s.setrole, 0)::regrole::text, 'in database ' || d.datname), NULL,
        (SELECT string_agg(one, ', ' ORDER BY one) FROM unnest(s.setconfig) AS one)
   FROM pg_db_role_setting s LEFT JOIN pg_database d ON d.oid = s.setdatabase
  WHERE s.setrole IN (0, current_user::regrole)
    AND (d.datname = current_database()
      OR s.setdatabase = 0 AND NOT EXISTS (
        SELECT FROM pg_database WHERE datname = current_database() AND datconnlimit >= ${minOwnLimit}))
 UNION ALL
 SELECT 'privileges', '', c.full_name, ${privileges('c.relacl', `CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char"`, 'c.relowner')}
   FROM relations c
 UNION ALL
 SELECT 'privileges', 'of column ' || quote_ident(t.attname), c.full_name, ${privileges('t.attacl', `'c'`, 'c.relowner')}
   FROM pg_attribute t JOIN relations c ON c.oid = t.attrelid
 UNION ALL
 SELECT 'privileges', '', 'function ' || ${functionName},
        ${privileges('p.proacl', `'f'`, 'p.proowner')}
   FROM pg_proc p JOIN schemas n ON n.oid = p.pronamespace
  WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
 UNION ALL
 SELECT 'user mapping', format('for %I on server %I', m.usename, m.srvname), NULL, coalesce(${hashed('m.umoptions')}, 'there')
   FROM pg_user_mappings m
 UNION ALL
 SELECT 'large objects', '', NULL, count(*)::text FROM pg_largeobject_metadata
 UNION ALL
 SELECT replace(i.type, '_', ' '), i.identity, NULL, o.definition
   FROM (${others}) AS o (class, id, definition), pg_identify_object(o.class, o.id, 0) AS i
  WHERE i.identity !~ '^(pg_(toast_)?temp|pgduet_load)'
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = o.class AND d.objid = o.id AND d.deptype IN ('e', 'i')))
SELECT kind, name, of, CASE WHEN length(definition) <= $1 THEN definition ELSE '${hash}' || md5(definition) END AS text
  FROM found WHERE definition IS NOT NULL`;

/** Something that a database holds. */
export const describedSchema = z.object({
  /** Such as `table`. */
  kind: z.string(),
  /** Full name of the table, view or sequence that it is a part of; of a function, with this word; null for what is no part. */
  of: z.string().nullable(),
  /** What is compared: its definition, or its state. */
  text: z.string(),
});

type Described = z.output<typeof describedSchema>;

/** By names with their kind, such as `index public.by_name`, or `trigger audit of public.account`. */
export type AllDescribed = Readonly<Record<string, Described>>;

/** Describes the rows of a query with the columns kind, name, of and text. */
export function described(rows: readonly (Described & { name: string })[]): Record<string, Described> {
  return Object.fromEntries(
    rows.map(({ name, ...one }) => [
      [one.kind, name, ...(one.of === null ? [] : ['of', one.of])].filter((part) => part !== '').join(' '),
      one,
    ]),
  );
}

/**
 * The definitions of everything in the user's schemas: that of `index public.by_name` is `CREATE INDEX by_name ON
 * public.customer USING btree (name)`.
 *
 * @param relations common table expressions `schemas` and `relations` that select what to describe
 */
export async function definitionsOf(client: Client, relations: string): Promise<Record<string, Described>> {
  // JIT would compile this query for half a minute; running it takes a moment.
  await client.query('SET jit = off');
  const { rows } = await client.query<Parameters<typeof described>[0][number]>(queries(relations), [longest]);
  return described(rows);
}

/**
 * What is defined differently, or on one server only. Each is a phrase that names both servers.
 *
 * @param known names whose difference has already been reported
 */
export function definedOtherwise(
  one: { server: string; definitions: AllDescribed },
  other: typeof one,
  known: ReadonlySet<string>,
): string[] {
  /** If a table is missing, the parts that are missing with it need not be reported. */
  const isToldOf = (name: string, of: string | null): boolean =>
    known.has(name) ||
    (of !== null && [of, ...relations.map((kind) => `${kind} ${of}`)].some((whole) => known.has(whole)));
  return [...new Set([...Object.keys(one.definitions), ...Object.keys(other.definitions)])].sort().flatMap((name) => {
    const [here, there] = [one.definitions[name], other.definitions[name]];
    if (here?.text === there?.text || isToldOf(name, (here ?? there)?.of ?? null)) return [];
    if (here === undefined || there === undefined) {
      const [has, lacks] = here === undefined ? [other, one] : [one, other];
      return [`${name}: only on ${has.server}, not on ${lacks.server}`];
    }
    return [here, there].some(({ text }) => text.startsWith(hash))
      ? [`${name}: defined differently on ${one.server} and ${other.server}`]
      : [`${name} is (${here.text}) on ${one.server}, and (${there.text}) on ${other.server}`];
  });
}

/** Kinds of relations that have parts. */
const relations = ['table', 'view', 'sequence'];
