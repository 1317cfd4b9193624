import path from 'node:path';
import { randomBytes } from 'node:crypto';
import pg, { type Client } from 'pg';
import { PartError } from '../../contract/errors.ts';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import { loadingTarget } from '../loading-target.ts';
import type { LoadGenerator } from '../tool.ts';
import { isErrorOfOurs, says } from './output/lines.ts';
import { buildUsersOf, type HammerdbWorkload, procedures, tables } from './schema.ts';
import { asScript, checkScript, connectionCommands } from './scripts.ts';
import { startSession } from './session.ts';

/** A slow server with one user builds a warehouse in about 20 s; making indexes of many warehouses takes its time, too. */
const limitSeconds = { least: 1800, perWarehouse: 60 };
/** Lines of a build for each warehouse: one for each district, twice. */
const progressLine = /^Vuser \d+:Loading (Customer|Orders) for /;
const progressLinesPerWarehouse = 20;
/** Part of the time that it takes to load, before indexes, the check and vacuum. */
const loadingShare = 0.9;

/** Builds the schema as a role of its own, lets HammerDB check it, and leaves it vacuumed, as the target's user's. */
export async function buildSchema(
  target: Target,
  { install, workload }: { install: string; workload: HammerdbWorkload },
  { folder, signal, onProgress }: Parameters<LoadGenerator['load']>[1],
): Promise<void> {
  const limit = limitSeconds.least + workload.warehouses * limitSeconds.perWarehouse;
  const { environment } = await loadingTarget(target, signal);
  const common = { install, environment, limitSeconds: limit, isError: isErrorOfOurs, signal };
  const log = (what: string): string => path.join(folder, `${what}-${target.server}.log`);
  let loaded = 0;
  function onLine(line: string): void {
    if (!progressLine.test(line)) return;
    loaded += 1;
    onProgress(Math.min(1, loaded / (workload.warehouses * progressLinesPerWarehouse)) * loadingShare);
  }
  try {
    const password = await withConnection(target, (client) => makeBuildRole(client, limit / 3600), signal);
    const { lines } = await startSession({
      ...common,
      script: buildScript(target, workload, buildRole),
      files: { [passwordFile]: password },
      onLine,
      log: log('load'),
    }).ended;
    const builders = buildUsersOf(workload);
    requireDone(lines, 'build', [says.schemaComplete, says.allComplete, new RegExp(`^${built}$`)], {
      // One user needs no other to watch it.
      succeeded: builders === 1 ? 1 : builders + 1,
    });
  } finally {
    // Also after Ctrl-C: nobody must be able to log in with it, and what it owns could not be dropped.
    await withConnection(target, removeBuildRole, AbortSignal.timeout(removeSeconds * 1000));
  }
  const { lines } = await startSession({ ...common, script: checkScript(target, workload), log: log('check') }).ended;
  requireDone(lines, 'check', [says.checked, says.allComplete], { succeeded: 1 });
  await withConnection(
    target,
    async (client) => {
      await client.query(`VACUUM (ANALYZE) ${tables.join(', ')}`);
      // The master user of RDS may not, and need not: what counts is the reset before each trial.
      await client.query('CHECKPOINT').catch(() => undefined);
    },
    signal,
    { long: true },
  );
  onProgress(1);
}

const removeSeconds = 60;

/** @throws if one of these lines is missing, or if not all users finished */
function requireDone(
  lines: readonly string[],
  what: 'build' | 'check',
  wanted: readonly RegExp[],
  { succeeded }: { succeeded: number },
): void {
  const users = new Set(lines.flatMap((line) => says.succeeded.exec(line)?.[1] ?? [])).size;
  const isDone = wanted.every((pattern) => lines.some((line) => pattern.test(line)));
  if (isDone && users === succeeded) return;
  throw new PartError(
    `HammerDB did not come to the end of its ${what} (${users} of ${succeeded} virtual users finished); its last line: ${lines.at(-1) ?? 'none'}`,
  );
}

/** File in the temporary folder of the process with the password of the role that builds. HammerDB removes it at once. */
export const passwordFile = 'password';

export const built = 'BUILD-END';

/**
 * The script that builds the schema in an empty database.
 *
 * @param role that builds it; HammerDB gives the role its password once more, so that it must know it
 */
export function buildScript(target: Target, workload: HammerdbWorkload, role: string): string {
  return asScript([
    ...connectionCommands(target, role),
    // Else HammerDB would copy all settings, with the password, into its database of jobs. That can be switched off for the
    // next start only; then it has such a command instead of the database.
    'catch {rename ::hdbjobs {}}',
    'proc ::hdbjobs args {return {}}',
    `set channel [open [file join $::env(TMP) ${passwordFile}]]`,
    'dict set ::configpostgresql tpcc pg_pass [read -nonewline $channel]',
    'close $channel',
    `file delete [file join $::env(TMP) ${passwordFile}]`,
    `diset tpcc pg_count_ware ${workload.warehouses}`,
    `diset tpcc pg_num_vu ${buildUsersOf(workload)}`,
    `diset tpcc pg_storedprocs ${workload.storedProcedures}`,
    'diset tpcc pg_partition false',
    'buildschema',
    `puts ${built}`,
  ]);
}

/**
 * HammerDB gives the role that builds its schema a password, by ALTER USER, if the role is there already; whether it does so
 * depends on its version. So the target's own user, which may be a superuser or the master user of RDS, must never be that
 * role. It is one of our own, for the build only, that owns nothing else.
 */
export const buildRole = 'pgduet_hammerdb_build';

const role = pg.escapeIdentifier(buildRole);

/**
 * Makes the role, as the owner of the database without the tables of an earlier build.
 *
 * @param hours after which nobody can log in with the role: a runner that is killed leaves it behind
 * @returns its password, which nobody else knows
 */
export async function makeBuildRole(client: Client, hours: number): Promise<string> {
  await removeBuildRole(client);
  await client.query(`DROP TABLE IF EXISTS ${tables.join(', ')} CASCADE`);
  await removeRoutines(client);
  const password = randomBytes(24).toString('hex');
  const until = new Date(Date.now() + hours * 3_600_000).toISOString();
  const database = await currentDatabase(client);
  await client.query(
    `CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)} VALID UNTIL ${pg.escapeLiteral(until)}`,
  );
  await client.query(`GRANT ${role} TO CURRENT_USER`);
  await client.query(`ALTER DATABASE ${database} OWNER TO ${role}`);
  return password;
}

/** Gives all that the role has built, and the database, to the user of this connection, and removes the role. */
export async function removeBuildRole(client: Client): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [buildRole]);
  if (rowCount === 0) return;
  await client.query(`GRANT ${role} TO CURRENT_USER`);
  await client.query(`REASSIGN OWNED BY ${role} TO CURRENT_USER`);
  await client.query(`DROP OWNED BY ${role}`);
  await client.query(`DROP ROLE ${role}`);
}

async function removeRoutines(client: Client): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('DROP ROUTINE %s', oid::regprocedure) AS statement FROM pg_proc
      WHERE pronamespace = 'public'::regnamespace AND proname = ANY ($1)`,
    [[...procedures, 'dbms_random']],
  );
  for (const { statement } of rows) await client.query(statement);
}

async function currentDatabase(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name');
  return pg.escapeIdentifier(rows[0]?.name ?? '');
}
