import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../contract/errors.ts';
import type { Client } from '../../postgres/client.ts';
import { withConnection } from '../../postgres/connect.ts';
import { ownConnections, type ServiceTarget } from '../../postgres/target.ts';
import { missingRoles, type PredefinedRole } from '../../postgres/predefined-roles.ts';
import { majorOf, supportedMajors, supportedWords } from '../../postgres/versions/known.ts';
import { agentDatabases, managedService, type ManagedService } from './managed-services.ts';

/** What a server says about itself, before anything is made on it. */
export interface Found {
  /** Such as `15.14`. */
  version: string;
  product: string;
  isStandby: boolean;
  isReadOnly: boolean;
  mayCreate: boolean;
  /** Connections that are still free for this role. */
  free: number;
  role: string;
  missingRoles: PredefinedRole[];
  /** Whose managed service it is; null if it shows none. */
  service: ManagedService | null;
}

const facts = `
  SELECT current_setting('server_version') AS version, version() AS product, pg_is_in_recovery() AS "isStandby",
         current_setting('transaction_read_only') = 'on'
           OR (SELECT reset_val = 'on' FROM pg_settings WHERE name = 'default_transaction_read_only') AS "isReadOnly",
         (SELECT rolcreatedb OR rolsuper FROM pg_roles WHERE rolname = current_user) AS "mayCreate",
         (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
           - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'))::int AS free,
         quote_ident(current_user) AS role, ${missingRoles} AS "missingRoles", ${managedService} AS service`;

/**
 * Whether a server can be measured.
 *
 * @param clients that the load has at the same time
 * @throws {UserError} with what is in the way, and the remedy
 */
export async function examineServer(target: ServiceTarget, clients: number, signal: AbortSignal): Promise<Found> {
  const found = await withConnection(
    target,
    async (client) => {
      await refusePooler(client, target, signal);
      const { rows } = await client.query<Found>(facts);
      return rows[0];
    },
    signal,
  );
  if (!found) throw new Error(`${target.server} returned no information about itself`);
  const problem = serverProblem(found, clients);
  if (problem !== null) throw new UserError(`${target.server} (service ${target.service.name}): ${problem}`);
  return { ...found, version: found.version.split(' ')[0] ?? '' };
}

/** Why a server cannot be measured, in a sentence; null if it can. */
export function serverProblem(
  { version, product, isStandby, isReadOnly, mayCreate, free }: Found,
  clients: number,
): string | null {
  const needed = clients + ownConnections;
  if (!product.startsWith('PostgreSQL ') || /CockroachDB|YugabyteDB|-YB-|Redshift|Materialize/.test(product)) {
    return `this is ${product.slice(0, 80)}. pgduet measures ${supportedWords}.`;
  }
  if ((majorOf(version) ?? 0) < supportedMajors.first) {
    return `the server is PostgreSQL ${version}. pgduet measures ${supportedWords}: upgrade it, or name another server.`;
  }
  if (isStandby) return 'the server is a standby, which accepts no writes. Name its primary.';
  if (isReadOnly) {
    return 'its sessions are read-only. Let this role write (default_transaction_read_only), or name another server.';
  }
  if (!mayCreate) return 'the role may not create a database. Allow it: ALTER ROLE … CREATEDB.';
  if (free < needed) {
    return `${Math.max(free, 0)} connections are free, and the run needs ${needed}. Close others, raise max_connections, or use fewer clients.`;
  }
  return null;
}

/**
 * A pooler in transaction mode gives each transaction another session of the server: what pgduet and its load set
 * would be lost, or reach others.
 *
 * @param client whose session is looked for from another one's transaction
 */
async function refusePooler(client: Client, target: ServiceTarget, signal: AbortSignal): Promise<void> {
  const token = randomBytes(8).toString('hex');
  await client.query("SELECT set_config('pgduet.session', $1, false)", [token]);
  const sees = "SELECT current_setting('pgduet.session', true) = $1 AS same";
  const isSame = await withConnection(
    target,
    async (other) => {
      await other.query('BEGIN');
      const { rows } = await other.query<{ same: boolean | null }>(sees, [token]);
      const mine = await client.query<{ same: boolean | null }>(sees, [token]);
      await other.query('ROLLBACK');
      return rows[0]?.same !== true && mine.rows[0]?.same === true;
    },
    signal,
  );
  if (isSame) return;
  throw new UserError(
    `${target.server} (service ${target.service.name}): a pooler uses another session for each transaction. Name the server itself, or a pool in session mode.`,
  );
}

/** What others do on a server. */
export interface Activity {
  /** Transactions of other sessions a second. */
  perSecond: number;
  /** Transactions of others that were open all the time. */
  open: number;
}

/** Time until sessions have reported what they did, and time to look: seconds. */
const [reportedSeconds, lookSeconds] = [1, 3];

/** Above this, others would be measured as well. An agent that watches a server stays far below. */
const quiet: Activity = { perSecond: 5, open: 0 };

const isNoAgents = `datname NOT IN (${agentDatabases.map((name) => `'${name}'`).join(', ')})`;

/**
 * Every role sees these counts and locks, whatever else of other sessions it may see. The agents of a managed service are
 * part of the server.
 */
const activity = `
  SELECT (SELECT sum(xact_commit + xact_rollback)::float8 FROM pg_stat_database
           WHERE datname IS NULL OR ${isNoAgents}) AS transactions,
         ARRAY(SELECT virtualxid FROM pg_locks JOIN pg_stat_activity USING (pid)
                WHERE locktype = 'virtualxid' AND granted AND pid <> pg_backend_pid() AND ${isNoAgents}
                  AND coalesce(backend_type, 'client backend') = 'client backend') AS open`;

/** What others do on the server, in about four seconds. @returns null if it is next to nothing */
export async function activityOn(target: ServiceTarget, signal: AbortSignal): Promise<Activity | null> {
  return withConnection(
    target,
    async (client) => {
      const look = async (): Promise<{ transactions: number; open: string[] }> => {
        const { rows } = await client.query<{ transactions: number; open: string[] }>(activity);
        return rows[0] ?? { transactions: 0, open: [] };
      };
      // Before that, our own earlier sessions would count as others.
      await sleep(reportedSeconds * 1000, undefined, { signal });
      const looks = [await look()];
      for (let waited = 0; waited < lookSeconds; waited += 1) {
        await sleep(1000, undefined, { signal });
        looks.push(await look());
      }
      // Each look was a transaction. Of all seconds, the middle one: a moment of autovacuum is nobody's load.
      const seconds = looks
        .slice(1)
        .map(({ transactions }, index) => transactions - (looks[index]?.transactions ?? 0) - 1);
      const perSecond = Math.max(0, seconds.toSorted((one, other) => one - other)[Math.floor(seconds.length / 2)] ?? 0);
      const open = (looks[0]?.open ?? []).filter((one) => looks.every((each) => each.open.includes(one))).length;
      return perSecond > quiet.perSecond || open > quiet.open ? { perSecond, open } : null;
    },
    signal,
  );
}

/**
 * Pairs of names that mean one server. A session of one is looked for from the other: the views of a server show the
 * locks of all its sessions to everybody.
 */
export async function refuseSameServer(targets: readonly ServiceTarget[], signal: AbortSignal): Promise<void> {
  for (const [index, target] of targets.entries()) {
    const key = randomBytes(6).readUIntBE(0, 6);
    await withConnection(
      target,
      async (client) => {
        await client.query('SELECT pg_advisory_lock($1::bigint)', [key]);
        for (const other of targets.slice(index + 1)) {
          const found = await withConnection(other, (its) => its.query(holds, [key]), signal);
          if (found.rows.length === 0) continue;
          throw new UserError(
            `The services ${target.service.name} and ${other.service.name} are the same server. Name two servers, or one service for both if their variants differ in prepare, scripts or engine.parameters.`,
          );
        }
      },
      signal,
    );
  }
}

const holds = `SELECT 1 AS one FROM pg_locks
  WHERE locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = $1::bigint`;
