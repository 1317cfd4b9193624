import type { Client } from './client.ts';
import * as z from 'zod';
import { UserError } from '../contract/errors.ts';
import {
  type AllDescribed,
  definedOtherwise,
  definitionsOf,
  described,
  describedSchema,
  functionName,
} from './definitions.ts';

/** The contents of a database that must be the same in every database that was loaded in the same way. */
export const contentsSchema = z.object({
  /** Rows of each table; null if our role may not count them and the server has no estimate. */
  rows: z.record(z.string(), z.object({ rows: z.number().nullable(), counted: z.boolean() })),
  /** The state of everything else: `trigger audit of public.account` is `enabled`. */
  states: z.record(z.string(), describedSchema),
  /** Major version of the server, which writes definitions in its own way. */
  major: z.int(),
  /** How everything is defined (definitions.ts). */
  definitions: z.record(z.string(), describedSchema),
});

export type Contents = z.output<typeof contentsSchema>;

/**
 * Tables are counted, the smallest first, up to this total size. That takes seconds. For larger tables, VACUUM has just
 * left an estimate, which is exact unless it skipped pages.
 */
const maxBytesRead = 2 ** 30;
/** Planning very many of them in one query would take the server long. */
const countsPerQuery = 50;

/**
 * Without objects of extensions, whose versions depend on the server's. PostgreSQL notes an extension only for tables
 * and types.
 */
const ours = `schemas AS (
   SELECT oid, nspname FROM pg_namespace
    WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'pgduet_load')),
 relations AS (
   SELECT c.*, n.nspname, format('%I.%I', n.nspname, c.relname) AS full_name
     FROM pg_class c JOIN schemas n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
    WHERE c.relpersistence <> 't'
      AND NOT EXISTS (SELECT FROM pg_depend d
                       WHERE d.deptype = 'e' AND (d.classid, d.objid) IN
                             (('pg_class'::regclass, coalesce(i.indrelid, c.oid)), ('pg_type'::regclass, c.reltype))))`;

const tables = `WITH ${ours},
 sized AS (
   SELECT full_name, nspname, relname, greatest(reltuples, -1)::float8 AS estimate,
          relispopulated AND has_table_privilege(oid, 'SELECT') AS permitted,
          sum(pg_relation_size(oid)) OVER (ORDER BY pg_relation_size(oid), oid) AS bytes
     FROM relations WHERE relkind IN ('r', 'm'))
 SELECT full_name AS name, estimate,
        CASE WHEN permitted AND bytes <= $1
             THEN format('SELECT %L AS name, count(*)::float8 AS rows FROM ONLY %I.%I', full_name, nspname, relname) END AS statement
   FROM sized`;

/** Leaves out what partitions inherit and NOT NULL constraints: both depend on the version. */
const states = `WITH ${ours}
 SELECT CASE WHEN c.relkind IN ('r', 'p', 'f') THEN 'table' WHEN c.relkind IN ('v', 'm') THEN 'view'
             WHEN c.relkind = 'S' THEN 'sequence' ELSE 'index' END AS kind, c.full_name AS name, NULL AS of,
        CASE WHEN c.relkind = 'S' THEN 'at ' || coalesce(s.last_value::text, 'its start')
             WHEN NOT i.indisvalid THEN 'not valid'
             WHEN c.relpersistence = 'u' THEN 'unlogged' ELSE 'there' END AS text
   FROM relations c
   LEFT JOIN pg_index i ON i.indexrelid = c.oid
   LEFT JOIN pg_sequences s ON c.relkind = 'S' AND s.schemaname = c.nspname AND s.sequencename = c.relname
  WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'i', 'I')
 UNION ALL
 SELECT 'constraint', quote_ident(o.conname), c.full_name, CASE WHEN o.convalidated THEN 'there' ELSE 'not valid' END
   FROM pg_constraint o JOIN relations c ON c.oid = o.conrelid
  WHERE o.contype <> 'n' AND o.conparentid = 0
 UNION ALL
 SELECT 'trigger', quote_ident(t.tgname), c.full_name, ${inWords('t.tgenabled')}
   FROM pg_trigger t JOIN relations c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND t.tgparentid = 0
 UNION ALL
 SELECT 'changed constraint trigger', '', c.full_name, string_agg(DISTINCT ${inWords('t.tgenabled')}, ', ')
   FROM pg_trigger t JOIN relations c ON c.oid = t.tgrelid WHERE t.tgisinternal
  GROUP BY c.full_name HAVING bool_or(t.tgenabled <> 'O')
 UNION ALL
 SELECT 'event trigger', quote_ident(e.evtname), NULL, ${inWords('e.evtenabled')}
   FROM pg_event_trigger e
  WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_event_trigger'::regclass AND d.objid = e.oid AND d.deptype = 'e')
 UNION ALL
 SELECT 'function', ${functionName}, NULL, 'there'
   FROM pg_proc p JOIN schemas n ON n.oid = p.pronamespace
  WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')`;

function inWords(enabled: string): string {
  return `CASE ${enabled} WHEN 'D' THEN 'disabled' WHEN 'R' THEN 'enabled for replicas' WHEN 'A' THEN 'always enabled' ELSE 'enabled' END`;
}

/** @param maxBytes total size of the tables that are counted */
export async function contentsOf(client: Client, maxBytes: number = maxBytesRead): Promise<Contents> {
  // The server leaves out schemas that the search_path leads to, and the servers may differ in it.
  const searchFor = (schemas: string) => client.query("SELECT set_config('search_path', $1, false)", [schemas]);
  const { rows } = await client.query<{ schemas: string }>("SELECT current_setting('search_path') AS schemas");
  await searchFor('pg_catalog');
  const contents = await readContents(client, maxBytes);
  await searchFor(rows[0]?.schemas ?? '');
  return contents;
}

async function readContents(client: Client, maxBytes: number): Promise<Contents> {
  const { rows: found } = await client.query<{ name: string; estimate: number; statement: string | null }>(tables, [
    maxBytes,
  ]);
  const statements = found.flatMap(({ statement }) => statement ?? []);
  const counts = new Map<string, number>();
  for (let from = 0; from < statements.length; from += countsPerQuery) {
    const query = statements.slice(from, from + countsPerQuery).join(' UNION ALL ');
    const { rows } = await client.query<{ name: string; rows: number }>(query);
    for (const one of rows) counts.set(one.name, one.rows);
  }
  const { rows: others } = await client.query<Parameters<typeof described>[0][number]>(states);
  const { rows: versions } = await client.query<{ number: string }>(
    "SELECT current_setting('server_version_num') AS number",
  );
  return {
    rows: Object.fromEntries(
      found.map(({ name, estimate }) => {
        const rows = counts.get(name);
        return [
          name,
          rows === undefined ? { rows: estimate < 0 ? null : estimate, counted: false } : { rows, counted: true },
        ];
      }),
    ),
    states: described(others),
    major: Math.floor(Number(versions[0]?.number) / 10_000),
    definitions: await definitionsOf(client, ours),
  };
}

/** Only what the catalogues say: no rows, and no positions of sequences, which any statement may move. */
export async function shapeOf(client: Client): Promise<Contents> {
  const { states: found, ...contents } = await contentsOf(client, 0);
  return {
    ...contents,
    rows: {},
    states: Object.fromEntries(Object.entries(found).filter(([, { kind }]) => kind !== 'sequence')),
  };
}

/** How far estimates, and random numbers of rows, may be apart. */
const tolerance = 0.02;

/** A database right after it was loaded, by the name of its server. */
export interface LoadedServer {
  server: string;
  contents: Contents;
}

/** How many differences a message names. */
const maxNamed = 5;
const remedies = {
  loaded:
    'Check whether the load uses random values (SELECT setseed(0.5) makes them repeatable), or depends on the version, role or parameters of the server. A dump is the same everywhere. Then load again.',
  prepared:
    'Check whether the SQL of prepare uses random values, or depends on the version, role or parameters of the server.',
  reset:
    'Check whether workload.load.reset depends on the version, role or parameters of the server, or adds something with each trial.',
};

/**
 * @param options.drawn names of tables, without schemas, whose number of rows is random in each load
 * @param options.done what was done to all of them in the same way
 * @param options.differIn in what their variants differ, which may be why
 * @throws {UserError} if the contents of two of them differ nevertheless
 */
export function requireSameContents(
  [first, ...others]: readonly LoadedServer[],
  {
    drawn,
    done = 'loaded',
    differIn = [],
  }: { drawn?: readonly string[] | undefined; done?: keyof typeof remedies; differIn?: readonly string[] } = {},
): void {
  const perhaps = differIn.length === 0 ? '' : ` The variants differ in ${differIn.join(', ')}.`;
  for (const one of others) {
    const differences = first ? differencesOf([first, one], drawn) : [];
    if (differences.length === 0) continue;
    const further = differences.length - maxNamed;
    const named = [...differences.slice(0, maxNamed), ...(further > 0 ? [`${further} further differences`] : [])];
    throw new UserError(
      `${first?.server ?? ''} and ${one.server} were ${done} in the same way, but their contents differ: ${named.join('; ')}. Their trials would compare the data, not the servers.${perhaps} ${remedies[done]}`,
      { failure: 'server-changed' },
    );
  }
}

/** The differences between two databases that were loaded in the same way, each a phrase. */
export function differencesOf(
  [one, other]: readonly [LoadedServer, LoadedServer],
  drawn: readonly string[] = [],
): string[] {
  const inBoth = <T>(
    of: (contents: Contents) => Readonly<Record<string, T>>,
  ): [string, T | undefined, T | undefined][] => {
    const [here, there] = [of(one.contents), of(other.contents)];
    return [...new Set([...Object.keys(here), ...Object.keys(there)])]
      .sort()
      .map((name) => [name, here[name], there[name]]);
  };
  const rowsApart = inBoth(({ rows }) => rows).flatMap(([name, here, there]) => {
    // A missing table is reported below.
    if (typeof here?.rows !== 'number' || typeof there?.rows !== 'number') return [];
    const isExact = here.counted && there.counted && !drawn.includes(name.replace(/^.*\./, ''));
    const allowed = isExact ? 0 : tolerance * Math.max(here.rows, there.rows);
    if (Math.abs(here.rows - there.rows) <= allowed) return [];
    return [`table ${name} has ${say(here)} rows on ${one.server}, and ${say(there)} on ${other.server}`];
  });
  const apart = inBoth((contents) => contents.states).filter(([, here, there]) => here?.text !== there?.text);
  const otherwise = apart.map(
    ([name, here, there]) =>
      `${name} is ${here?.text ?? 'not there'} on ${one.server}, and ${there?.text ?? 'not there'} on ${other.server}`,
  );
  const [here, there] = [one.contents, other.contents];
  const isSameMajor = here.major === there.major;
  const definitionsOf = ({ definitions }: Contents): AllDescribed =>
    isSameMajor ? definitions : withoutTexts(definitions);
  const defined = definedOtherwise(
    { server: one.server, definitions: definitionsOf(here) },
    { server: other.server, definitions: definitionsOf(there) },
    new Set(apart.map(([name]) => name)),
  );
  return [...rowsApart, ...otherwise, ...defined];
}

/**
 * Only names: servers of different major versions write definitions differently, and 18 has a constraint for each NOT
 * NULL.
 */
function withoutTexts(definitions: AllDescribed): AllDescribed {
  return Object.fromEntries(
    Object.entries(definitions).flatMap(([name, one]) =>
      one.kind === 'constraint' ? [] : [[name, writtenAlike.includes(one.kind) ? one : { ...one, text: 'there' }]],
    ),
  );
}

/** Kinds that all versions write in the same way. */
const writtenAlike = ['settings', 'large objects'];

function say({ rows, counted }: Contents['rows'][string]): string {
  return `${counted ? '' : 'about '}${Math.round(rows ?? 0).toLocaleString('en')}`;
}
