import path from 'node:path';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Client } from '../../postgres/client.ts';
import { PartError } from '../../contract/errors.ts';
import { failureBy } from '../../contract/printed.ts';
import { withConnection } from '../../postgres/connect.ts';
import type { Target } from '../../postgres/target.ts';
import { loadingTarget } from '../loading.ts';
import type { LoadGenerator } from '../load-generator.ts';
import { isErrorOfOurs, says } from './output/lines.ts';
import { buildUsersOf, type HammerdbWorkload, procedures, tables } from './schema.ts';
import { asScript, checkScript, connectionCommands, startSession } from './session.ts';

/** A slow server with one user builds a warehouse in about 20 s; indexes on many warehouses take time, too. */
const limitSeconds = { min: 1800, perWarehouse: 60 };
/** What a build prints for each warehouse: two lines for each district. */
const progressLine = /^Vuser \d+:Loading (Customer|Orders) for /;
const progressLinesPerWarehouse = 20;
/** The part of the time that loading rows takes. Indexes, the check and vacuum take the rest. */
const loadingShare = 0.9;

/** Builds the schema as a separate role, gives it to the target's user, lets HammerDB check it, and vacuums it. */
export async function buildSchema(
  target: Target,
  { install, workload }: { install: string; workload: HammerdbWorkload },
  { folder, signal, onProgress }: Parameters<LoadGenerator['load']>[1],
): Promise<void> {
  const limit = limitSeconds.min + workload.warehouses * limitSeconds.perWarehouse;
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
      // A single user needs no other to watch it.
      succeeded: builders === 1 ? 1 : builders + 1,
    });
  } finally {
    // Also after Ctrl-C: nobody may log in with this role later, and the next load could not drop what it owns.
    await withConnection(target, removeBuildRole, AbortSignal.timeout(removeSeconds * 1000));
  }
  const { lines } = await startSession({ ...common, script: checkScript(target, workload), log: log('check') }).ended;
  requireDone(lines, 'check', [says.checked, says.allComplete], { succeeded: 1 });
  await withConnection(
    target,
    async (client) => {
      await client.query(`VACUUM (ANALYZE) ${tables.join(', ')}`);
      // The master user of RDS may not do this. That is no loss: the reset before each trial is what counts.
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
    `HammerDB did not finish its ${what} (${users} of ${succeeded} virtual users finished); its last line: ${lines.at(-1) ?? 'none'}`,
    failureBy(lines.at(-1) ?? '', 'load-failed'),
  );
}

/** File in the temporary folder of the process, with the password of the build role. HammerDB removes it at once. */
export const passwordFile = 'password';

export const built = 'BUILD-END';

/**
 * The script that builds the schema in an empty database.
 *
 * @param role that builds it. HammerDB sets the role's password again, so it must know the password
 */
export function buildScript(target: Target, workload: HammerdbWorkload, role: string): string {
  return asScript([
    ...connectionCommands(target, role),
    // Otherwise HammerDB would copy all settings, with the password, into its database of jobs. The setting that
    // prevents this works only from the next start on, and then puts a command like this one in place of the database.
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
 * Some versions of HammerDB set a password on the role that builds the schema, by ALTER USER, if the role already
 * exists. So the target's own user, which may be a superuser or the master user of RDS, must never be that role. pgduet
 * builds as its own role, which exists only for the build and owns nothing else.
 */
export const buildRole = 'pgduet_hammerdb_build';

const role = pg.escapeIdentifier(buildRole);

/**
 * Removes the tables of an earlier build, creates the role, and makes it the owner of the database.
 *
 * @param hours after which nobody can log in with the role, because a killed runner leaves it behind
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

/** Gives the database and everything that the role has built to the user of this connection, then removes the role. */
async function removeBuildRole(client: Client): Promise<void> {
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
