import type { Client } from '../../postgres/client.ts';
import * as z from 'zod';
import { type PgbenchRunner, pgbenchRunner } from '../pgbench/generator.ts';
import type { GeneratorOptions, LoadGenerator } from '../load-generator.ts';
import { loadFilesOf, type OwnData, type OwnDataWorkload } from './schema.ts';
import { writeFileIn } from '../../files/write.ts';
import { withConnection } from '../../postgres/connect.ts';
import { emptyDatabase } from '../../postgres/database-sessions.ts';
import type { Target } from '../../postgres/target.ts';
import { vacuumPermitted } from '../../postgres/vacuum.ts';
import { withClient } from '../../process/client.ts';
import { type OwnDataPlaces, readByPsql, runSqlFile } from './psql.ts';
import { loadDump, openDump } from './restore-dump.ts';
import { UserError } from '../../contract/errors.ts';
import { quantity } from '../../contract/format.ts';

/** Loads the user's own data. Trials run in the same way as on pgbench's tables. */
export function ownDataGenerator(options: GeneratorOptions<OwnDataWorkload>): LoadGenerator & PgbenchRunner {
  const { load } = options.workload;
  return {
    ...pgbenchRunner(options),
    load: (target, request) => loadOwnData(target, load, options, request),
    holds: contentsOf,
    missing: (client, held) => missingFromOwnData(client, load, held),
    reset: (target, _, { signal }) => resetOwnData(target, load, options, signal),
  };
}

type Request = Parameters<LoadGenerator['load']>[1];

/**
 * Fills a database with the user's own data: the dump, then SQL files. It first removes everything that an earlier load
 * has left, because the user's files can be run only once. Vacuum and analyze come last, because without statistics plans
 * would differ.
 */
async function loadOwnData(target: Target, load: OwnData, places: OwnDataPlaces, request: Request): Promise<void> {
  if ('snapshot' in load) throw new Error('a snapshot is restored, not loaded');
  const { folder, signal, onProgress } = request;
  const dump = load.dump === undefined ? null : await openDump(load.dump, places, signal);
  await emptyDatabase(target, signal);
  const files = load.sql ?? [];
  const parts = files.length + (dump ? 1 : 0);
  const logs: string[] = [];
  const reads = readByPsql(loadFilesOf(load), places);
  const onPart = (done: number): void => onProgress((0.9 * (logs.length + done)) / parts);
  await withClient({ reads, signal }, async (client) => {
    const open = { ...places, client };
    if (dump) logs.push(await loadDump(target, dump, open, { signal, onProgress: onPart }));
    for (const file of files) {
      onPart(0);
      logs.push((await runSqlFile(target, file, open, { key: 'load.sql', loads: true, signal })).stderr);
    }
  });
  await writeFileIn(folder, `load-${target.server}.log`, logs.join(''));
  await withConnection(target, (client) => vacuumPermitted(client, { analyze: true }), signal, { long: true });
  onProgress(1);
}

/**
 * What is missing from the data, each a phrase.
 *
 * @param held what `contentsOf` returned right after the load; undefined if there is no load mark yet
 */
async function missingFromOwnData(client: Client, load: OwnData, held: unknown): Promise<string[]> {
  const now = await contentsOf(client);
  const isEmpty = !now.objects.some(({ kind }) => kind === 'table');
  return [
    ...(isEmpty ? ['any table'] : held === undefined ? [] : missingSince(held, now)),
    ...(isEmpty ? [] : await unmetExpectations(client, load.expect)),
  ];
}

/** Runs the files of `load.reset`. They may vacuum, so they do not run in a transaction. */
async function resetOwnData(target: Target, load: OwnData, places: OwnDataPlaces, signal: AbortSignal): Promise<void> {
  const { reset = [] } = load;
  // A dump may be large, and these do not read it.
  const loadFiles = loadFilesOf(load).filter((file) => !('dump' in load) || file !== load.dump);
  await withClient({ reads: readByPsql([...reset, ...loadFiles], places), signal }, async (client) => {
    const open = { ...places, client };
    for (const file of reset) await runSqlFile(target, file, open, { key: 'load.reset', loads: false, signal });
  });
}

/**
 * What a database with the user's own data holds, as far as that is quick to read. Only the user knows what a load is
 * meant to create. So whatever exists right after it must exist later, on every server and after trials.
 */
const contentsSchema = z.object({
  /** Tables, views, sequences, valid indexes, and functions, by their full names. */
  objects: z.array(z.object({ kind: z.string(), name: z.string() })),
  /** Size of all tables and indexes. */
  bytes: z.number(),
});

export type Contents = z.output<typeof contentsSchema>;

/** Trials may delete rows, but hardly half of the data. The check of a trial's size has the same bound. */
const noticedShare = 0.5;
/** How many missing objects a message names. */
const maxNamed = 5;

export async function contentsOf(client: Client): Promise<Contents> {
  const { rows } = await client.query<{ objects: Contents['objects'] | null; bytes: number | null }>(
    `WITH schemas AS (
       SELECT oid, nspname FROM pg_namespace
        WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'pgduet_load')),
     relations AS (
       SELECT CASE WHEN c.relkind IN ('r', 'p', 'f') THEN 'table' WHEN c.relkind IN ('v', 'm') THEN 'view'
                   WHEN c.relkind = 'S' THEN 'sequence' ELSE 'index' END AS kind,
              format('%I.%I', n.nspname, c.relname) AS name,
              CASE WHEN c.relkind IN ('r', 'm') THEN pg_total_relation_size(c.oid) END AS bytes
         FROM pg_class c JOIN schemas n ON n.oid = c.relnamespace LEFT JOIN pg_index i ON i.indexrelid = c.oid
        WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S', 'i', 'I') AND c.relpersistence <> 't' AND i.indisvalid IS NOT FALSE
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')),
     functions AS (
       SELECT format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) AS name
         FROM pg_proc p JOIN schemas n ON n.oid = p.pronamespace
        WHERE NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'))
     SELECT (SELECT jsonb_agg(jsonb_build_object('kind', kind, 'name', name) ORDER BY kind DESC, name)
               FROM (SELECT kind, name FROM relations UNION ALL SELECT 'function', name FROM functions) AS all_of_them) AS objects,
            (SELECT sum(bytes)::float8 FROM relations) AS bytes`,
  );
  return { objects: rows[0]?.objects ?? [], bytes: rows[0]?.bytes ?? 0 };
}

/** What has disappeared since the load, each a phrase. */
export function missingSince(held: unknown, now: Contents): string[] {
  const parsed = contentsSchema.safeParse(held);
  if (!parsed.success) return ['a record of what was loaded'];
  const inWords = (objects: Contents['objects']): string[] => objects.map(({ kind, name }) => `${kind} ${name}`);
  const there = new Set(inWords(now.objects));
  const gone = inWords(parsed.data.objects).filter((object) => !there.has(object));
  const others = gone.length - maxNamed;
  return [
    ...gone.slice(0, maxNamed),
    ...(others > 0 ? [`${others} other tables, indexes or functions`] : []),
    ...(now.bytes < noticedShare * parsed.data.bytes
      ? [
          `most of the data (${quantity(parsed.data.bytes, 'bytes')} after loading, ${quantity(now.bytes, 'bytes')} now)`,
        ]
      : []),
  ];
}

/**
 * Conditions of the user that do not hold, each a phrase.
 *
 * @throws {UserError} if the server refuses a condition
 */
async function unmetExpectations(client: Client, expectations: readonly string[]): Promise<string[]> {
  const unmet: string[] = [];
  for (const query of expectations) {
    const answer = await answerOf(client, query);
    if (answer !== true) unmet.push(`what load.expect asks for: ${query} (the answer is ${JSON.stringify(answer)})`);
  }
  return unmet;
}

/** The first value of the first row; null without rows. */
async function answerOf(client: Client, query: string): Promise<unknown> {
  try {
    // A condition must change nothing.
    await client.query('BEGIN TRANSACTION READ ONLY');
    await client.query('SET LOCAL search_path TO DEFAULT');
    const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' });
    return rows[0]?.[0] ?? null;
  } catch (error) {
    if (!(error instanceof Error) || !/^(42|22|25|2F|P0)/.test(String((error as { code?: unknown }).code))) throw error;
    throw new UserError(`load.expect: ${query}: ${error.message}`, { cause: error });
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
  }
}
