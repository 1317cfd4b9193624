import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import type { Client } from './client.ts';
import * as z from 'zod';
import { UserError } from '../contract/errors.ts';
import { ownCommand } from '../contract/own-command.ts';
import { withConnection } from './connect.ts';
import { outsideLoad, type Target } from './target.ts';
import { copyEnding, markOwn, optionsOfOwn, requireOwn } from './own-database.ts';
import { executeWithoutSessions } from './database-sessions.ts';
import { contentsSchema } from './contents.ts';

/**
 * Keeps a copy of the target's database on the same server, to restore it before each trial. Replaces an older copy.
 *
 * @param attempts number of tries; each waits about 5 s for other sessions to end
 * @throws {UserError} if another session stays in the database
 */
export async function keepLoadedCopy(target: Target, signal: AbortSignal, attempts?: number): Promise<void> {
  await copyDatabase(target, { from: target.database, to: copyOf(target), attempts }, signal);
}

/**
 * Restores the database to its state after loading: drops it, and copies it file by file from the kept copy.
 *
 * @param attempts number of tries; each waits about 5 s for other sessions to end
 * @throws {UserError} if no copy was kept, or if a session that our role may not end stays in the database
 */
export async function restoreLoadedCopy(target: Target, signal: AbortSignal, attempts?: number): Promise<void> {
  await copyDatabase(target, { from: copyOf(target), to: target.database, attempts }, signal);
}

/**
 * Copies the database to that of another variant on the same server, which it replaces.
 *
 * @throws {UserError} if another session stays in one of them
 */
export async function copyForVariant(target: Target, { database }: Target, signal: AbortSignal): Promise<void> {
  await copyDatabase(target, { from: target.database, to: database, attempts: undefined }, signal);
}

/**
 * Restores the database if it is missing because an earlier start was cut off after dropping it. Does nothing without a
 * copy.
 */
export async function completeRestore(target: Target, signal: AbortSignal): Promise<void> {
  const there = await databasesOf(target, signal);
  if (there.has(target.database) || !there.has(copyOf(target))) return;
  try {
    await restoreLoadedCopy(target, signal);
  } catch (error) {
    // The server may have continued and finished the copy for the start that was cut off.
    if (!(await databasesOf(target, signal)).has(target.database)) throw error;
  }
}

async function databasesOf(target: Target, signal: AbortSignal): Promise<ReadonlySet<string>> {
  const { rows } = await withConnection(
    outsideLoad(target),
    (client) => client.query<{ name: string }>('SELECT datname AS name FROM pg_database'),
    signal,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Whether there is a copy of the last load, not of an earlier one. */
export async function hasLoadedCopy(target: Target, signal: AbortSignal): Promise<boolean> {
  const database = copyOf(target);
  const found = await withConnection(
    target,
    async (client) => ({
      mark: await readLoadMark(client),
      copies: (await client.query('SELECT FROM pg_database WHERE datname = $1', [database])).rowCount,
    }),
    signal,
  );
  if (found.mark === null || found.copies === 0) return false;
  return isDeepStrictEqual(await withConnection({ ...target, database }, readLoadMark, signal), found.mark);
}

/** The database that holds the copy. */
export function copyOf({ database }: Target): string {
  return `${database}${copyEnding}`;
}

async function copyDatabase(
  target: Target,
  { from, to, attempts }: { from: string; to: string; attempts: number | undefined },
  signal: AbortSignal,
) {
  await withConnection(
    outsideLoad(target),
    async (client) => {
      const [source, replaced] = [pg.escapeIdentifier(from), pg.escapeIdentifier(to)];
      const found = await client.query<{ version: number }>(
        `SELECT current_setting('server_version_num')::int AS version FROM pg_database WHERE datname = $1`,
        [from],
      );
      const [row] = found.rows;
      if (!row) throw new UserError(`${target.server}: no database ${from} to restore from. Reload the data.`);
      // From PostgreSQL 15 on, the default strategy would also write the whole database to the WAL. Earlier versions
      // always copy files.
      const strategy = row.version >= 150_000 ? ' STRATEGY file_copy' : '';
      const patience = { variant: target.server, attempts };
      await requireOwn(client, target, to);
      await executeWithoutSessions(client, `DROP DATABASE IF EXISTS ${replaced}`, {
        ...patience,
        database: to,
        terminate: true,
      });
      await executeWithoutSessions(
        client,
        `CREATE DATABASE ${replaced} TEMPLATE ${source}${strategy}${optionsOfOwn(target)}`,
        {
          ...patience,
          database: from,
          terminate: false,
        },
      );
      await markOwn(client, target, to);
      await copySettings(client, { from, to });
    },
    signal,
    { long: true },
  );
}

/**
 * Settings whose values are lists of quoted names. A literal cannot express these (variable_is_guc_list_quote of
 * pg_dump).
 */
const lists = new Set([
  'local_preload_libraries',
  'search_path',
  'session_preload_libraries',
  'shared_preload_libraries',
  'temp_tablespaces',
  'unix_socket_directories',
]);

/** Settings of a database, and of roles in it, belong to its name and not to its template. */
async function copySettings(client: Client, { from, to }: { from: string; to: string }): Promise<void> {
  const { rows } = await client.query<{ role: string | null; name: string; value: string }>(
    `SELECT r.rolname AS role, split_part(config, '=', 1) AS name, substr(config, strpos(config, '=') + 1) AS value
       FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
       LEFT JOIN pg_roles r ON r.oid = s.setrole, unnest(s.setconfig) AS config
      WHERE d.datname = $1`,
    [from],
  );
  if (rows.length === 0) return;
  const database = pg.escapeIdentifier(to);
  await client.query('BEGIN');
  for (const { role, name, value } of rows) {
    const whose = role === null ? `DATABASE ${database}` : `ROLE ${pg.escapeIdentifier(role)} IN DATABASE ${database}`;
    // The name of an extension's setting has several parts.
    const setting = name
      .split('.')
      .map((part) => pg.escapeIdentifier(part))
      .join('.');
    const isList = lists.has(name);
    if (isList) await client.query('SELECT set_config($1, $2, true)', [name, value]);
    await client.query(`ALTER ${whose} SET ${setting} ${isList ? 'FROM CURRENT' : `TO ${pg.escapeLiteral(value)}`}`);
  }
  await client.query('COMMIT');
}

/**
 * What a finished load leaves in the database: which tool filled it, and with what. It is stored as the comment of an
 * empty schema. So copies and snapshots of the database contain it, and no vacuum, reset or load of a tool touches it.
 */
const loadMarkSchema = z.object({
  kind: z.literal('pgduet-load'),
  tool: z.string(),
  /** Everything that the data depends on, according to the tool (workloads/loaded-with.ts). */
  loadedBy: z.unknown(),
  /**
   * What the tool found in the database right after the load (LoadGenerator.holds); absent if the tool does not look.
   */
  holds: z.unknown().optional(),
  /** Contents of the database right after the load, to compare with other servers; absent in older marks. */
  contents: contentsSchema.optional(),
  /** The same after `prepare` of the variant; absent if no variant has one. */
  prepared: contentsSchema.optional(),
  finishedAt: z.string(),
});

export type LoadMark = z.output<typeof loadMarkSchema>;

/**
 * Must differ from the name of the master user: PostgreSQL would create that user's tables in a schema of that name.
 */
const schemaName = 'pgduet_load';

/** The mark of the database; null if no load of pgduet has finished in it. */
export async function readLoadMark(client: Client): Promise<LoadMark | null> {
  const { rows } = await client.query<{ mark: string | null }>(
    `SELECT obj_description(oid, 'pg_namespace') AS mark FROM pg_namespace WHERE nspname = '${schemaName}'`,
  );
  const text = rows[0]?.mark ?? null;
  if (text === null) return null;
  try {
    return loadMarkSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Removes the mark before a load: from now on, the data cannot be trusted. */
export async function removeLoadMark(client: Client): Promise<void> {
  await client.query(`DROP SCHEMA IF EXISTS ${schemaName}`);
}

/** Marks the load as finished. Both statements are one transaction. */
export async function writeLoadMark(client: Client, mark: Omit<LoadMark, 'kind'>): Promise<void> {
  const text = pg.escapeLiteral(JSON.stringify({ kind: 'pgduet-load', ...mark }));
  await client.query(`CREATE SCHEMA ${schemaName}; COMMENT ON SCHEMA ${schemaName} IS ${text}`);
}

/** Whether the data is what this tool would load for this workload. */
export function isLoadedBy(mark: LoadMark | null, tool: string, loadedBy: unknown): boolean {
  return mark !== null && mark.tool === tool && isDeepStrictEqual(mark.loadedBy, asJson(loadedBy));
}

/**
 * @param server name of the server, for the message
 * @throws {UserError} that names both, if the data is not what this tool would load for this workload
 */
export function requireLoadedBy(mark: LoadMark | null, tool: string, loadedBy: unknown, server: string): void {
  if (isLoadedBy(mark, tool, loadedBy)) return;
  const remedy = `Load it with ${ownCommand} load, or load and measure with load-run.`;
  if (mark === null) {
    throw new UserError(`${server}: pgduet has not finished loading this database. ${remedy}`);
  }
  throw new UserError(
    `${server} was loaded by ${mark.tool} with ${inWords(mark.loadedBy)}; this experiment needs ${tool} with ${inWords(asJson(loadedBy))}. ${remedy}`,
  );
}

/** Such as `scale 50, load.fillFactor 100`. */
function inWords(loadedBy: unknown, path = ''): string {
  if (typeof loadedBy !== 'object' || loadedBy === null) return `${path} ${String(loadedBy)}`.trim();
  return Object.entries(loadedBy)
    .map(([key, value]) => inWords(value, path === '' ? key : `${path}.${key}`))
    .join(', ');
}

/** The value as it would be read back from a mark. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}
