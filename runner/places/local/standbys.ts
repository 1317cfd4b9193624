import { chownSync, writeFileSync } from 'node:fs';
import type { ChildProcess } from 'node:child_process';
import type { Client } from '../../postgres/client.ts';
import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { PartError } from '../../contract/errors.ts';
import { withConnection } from '../../postgres/connect.ts';
import { outsideLoad, type Target } from '../../postgres/target.ts';
import type { PlacedTarget } from '../place.ts';
import { type ClusterRequest, ownFiles, type StandbyRequest } from './cluster-files.ts';
import type { PostgresBinaries } from './installations.ts';
import type { ServerUser } from '../../process/rights.ts';
import { waitUntil } from '../../process/wait-until.ts';
import { startServer, stopServer } from './start-server.ts';

/** A running standby that a primary waits for. */
export interface Standby {
  /** Leads to its database `postgres`, which can be read. */
  target: Target;
  process: ChildProcess;
  /** Aborts when its server ends. */
  failed: AbortSignal;
}

const streamSeconds = 60;

/**
 * Starts the standbys of a running primary from copies of its data folder, and makes the primary wait for them: from
 * then on, a commit returns when one of them has its WAL on disk.
 *
 * @param password of the primary's superuser
 * @throws if a standby does not start or does not stream; those that were started have been stopped
 */
export async function startStandbys(
  request: ClusterRequest,
  primary: PlacedTarget,
  password: string,
  binaries: PostgresBinaries,
  user: ServerUser,
  { choosePort, signal }: { choosePort: () => Promise<number>; signal: AbortSignal },
): Promise<Standby[]> {
  const requests = request.standbys ?? [];
  const names = requests.map(({ name }) => name);
  const standbys: Standby[] = [];
  try {
    // With a slot, the primary keeps all WAL that a standby still needs, even from before the standby connects.
    await withConnection(
      outsideLoad(primary),
      async (client) => {
        for (const name of names) await client.query('SELECT pg_create_physical_replication_slot($1, true)', [name]);
      },
      signal,
    );
    for (const one of requests) {
      const server = standbyRequest(request, one, primary, user, password);
      const started = await startServer(server, ownFiles(server), binaries, { choosePort, signal });
      const { host, environment } = primary;
      standbys.push({
        target: {
          server: server.variant,
          host,
          port: started.port,
          user: primary.user,
          database: 'postgres',
          environment,
        },
        process: started.process,
        failed: started.failed,
      });
    }
    await awaitStandbys(primary, names, 'streaming', signal);
    await withConnection(
      outsideLoad(primary),
      async (client) => {
        for (const [parameter, value] of Object.entries(waitingFor(names))) {
          await client.query(`ALTER SYSTEM SET ${parameter} = '${value}'`);
        }
        await client.query('SELECT pg_reload_conf()');
      },
      signal,
    );
    await awaitSynchronous(primary, names, signal);
    return standbys;
  } catch (error) {
    await Promise.all(standbys.map(({ process }) => stopServer(process)));
    throw error;
  }
}

/** The names of this number of standbys. */
export function standbyNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `standby${index + 1}`);
}

/** The parameter that makes a primary wait for one of these standbys; empty if there are none. */
export function waitingFor(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {};
  return { synchronous_standby_names: `${names.length === 1 ? 'FIRST' : 'ANY'} 1 (${names.join(', ')})` };
}

/** A server with the primary's parameters: some, such as max_connections, must not be lower on a standby. */
function standbyRequest(
  request: ClusterRequest,
  { name, dataFolder }: StandbyRequest,
  primary: PlacedTarget,
  user: ServerUser,
  password: string,
): ClusterRequest {
  const { variant, folder, parameters } = request;
  const server = { variant: `${variant}.${name}`, folder: `${folder}.${name}` };
  const { passwordFile } = ownFiles(server);
  // The standby's process reads this file, and must own it.
  writeFileSync(passwordFile, `*:*:*:${primary.user}:${password}\n`, { mode: 0o600, flag: 'wx' });
  chownSync(passwordFile, user.uid, user.gid);
  const connection = {
    host: primary.host,
    port: primary.port,
    user: primary.user,
    passfile: passwordFile,
    application_name: name,
  };
  const own: Record<string, ParameterValue> = {
    primary_conninfo: Object.entries(connection)
      .map(([key, value]) => `${key}='${String(value).replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`)
      .join(' '),
    primary_slot_name: name,
    hot_standby: true,
  };
  return { ...server, dataFolder, walFolder: null, parameters: { ...parameters, ...own } };
}

/**
 * Waits until all standbys of a primary are synchronous, for example after a restart. Does nothing without standbys.
 */
export async function awaitSynchronous(
  primary: PlacedTarget,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (names.length > 0) await awaitStandbys(primary, names, 'synchronous', signal);
}

/** Waits until the primary reports this state for each of the standbys. */
async function awaitStandbys(
  primary: PlacedTarget,
  names: readonly string[],
  what: 'streaming' | 'synchronous',
  signal: AbortSignal,
): Promise<void> {
  const are = { streaming: "state = 'streaming'", synchronous: "sync_state IN ('sync', 'quorum')" }[what];
  let missing = names;
  const look = async (client: Client): Promise<boolean> => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT application_name AS name FROM pg_stat_replication WHERE ${are}`,
    );
    missing = names.filter((name) => !rows.some((row) => row.name === name));
    return missing.length === 0;
  };
  const bound = { seconds: streamSeconds, signal };
  await withConnection(outsideLoad(primary), (client) => waitUntil(() => look(client), bound), signal);
  if (missing.length === 0) return;
  throw new PartError(
    `${primary.server}: after ${streamSeconds} s, these standbys are not ${what}: ${missing.join(', ')}`,
    'no-answer',
  );
}

const settleSeconds = 600;

/**
 * Waits until a standby has replayed all WAL that its primary has written, and makes it write that to its data files.
 * Otherwise the standby would do so in the middle of a trial. This also proves that the standby still receives WAL.
 */
export async function settleStandby(primary: Target, standby: Target, signal: AbortSignal): Promise<void> {
  const written = await withConnection(
    outsideLoad(primary),
    async (client) => (await client.query<{ lsn: string }>('SELECT pg_current_wal_flush_lsn()::text AS lsn')).rows[0],
    signal,
  );
  const replayed = 'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there';
  await withConnection(
    standby,
    async (client) => {
      const isThere = async (): Promise<boolean> =>
        (await client.query<{ there: boolean | null }>(replayed, [written?.lsn])).rows[0]?.there === true;
      if (!(await waitUntil(isThere, { seconds: settleSeconds, signal }))) {
        throw new PartError(
          `${standby.server} did not replay its primary's WAL within ${settleSeconds} s`,
          'no-answer',
        );
      }
      await client.query('CHECKPOINT');
    },
    signal,
    { long: true },
  );
}
