import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { withConnection } from '../../postgres/connect.ts';
import type { PlacedTarget } from '../place.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { ServerUser } from './server-user.ts';
import { type ClusterRequest, ownFiles } from './cluster-files.ts';
import { initialise } from './initialise.ts';
import { refuseOwnParameters } from './parameters.ts';
import { freePort } from './port.ts';
import { startServer, stopServer } from './start-server.ts';
import { statementsLibrary } from './statements-library.ts';

/** One running server with an empty database. */
export interface Cluster {
  target: PlacedTarget;
  serverLog: string;
  /** Process id of the postmaster. */
  pid: number;
  /** Stops the server by an immediate shutdown: nothing in it is needed any more. */
  stop(): Promise<void>;
  /** Lets the server go on after the end of this process. */
  release(): void;
}

const databaseName = 'pgduet';
const superuser = 'postgres';

/**
 * Makes and starts a private cluster: loopback only, scram password, a free port, parameters applied.
 *
 * @throws {UserError} if the server refuses a parameter of the experiment, or if its data folder cannot be made
 */
export async function startCluster(
  request: ClusterRequest,
  binaries: PostgresBinaries,
  user: ServerUser,
  signal: AbortSignal,
  choosePort = freePort,
): Promise<Cluster> {
  refuseOwnParameters(request.variant, request.parameters);
  mkdirSync(request.folder, { mode: 0o700 });
  chownSync(request.folder, user.uid, user.gid);
  const ours = ownFiles(request);
  const password = randomBytes(24).toString('base64url');
  await initialise(request, { name: superuser, password }, binaries, user, signal);
  // The load generator reads it.
  writeFileSync(ours.passwordFile, `*:*:*:${superuser}:${password}\n`, { mode: 0o600 });

  const { process: server, port, failed } = await startServer(request, ours, binaries, user, { choosePort, signal });
  const cluster: Cluster = {
    target: {
      server: request.variant,
      host: '127.0.0.1',
      port,
      user: superuser,
      database: databaseName,
      environment: { PGPASSFILE: ours.passwordFile },
      asked: { parameters: request.parameters, version: null },
      failed,
    },
    serverLog: ours.serverLog,
    pid: server.pid ?? 0,
    stop: () => stopServer(server),
    release: () => server.unref(),
  };
  try {
    await createDatabase(cluster.target);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** Whether an extension is there, and its library is loaded: an experiment may preload libraries of its own instead. */
const isPreloaded = `SELECT name FROM pg_available_extensions
  WHERE name = $1 AND name = ANY (string_to_array(replace(current_setting('shared_preload_libraries'), ' ', ''), ','))`;

async function createDatabase(target: PlacedTarget): Promise<void> {
  await withConnection(
    { ...target, database: 'postgres' },
    async (client) => {
      await client.query(`CREATE DATABASE ${databaseName}`);
      // Beside the measured database, which resets replace.
      const { rows } = await client.query(isPreloaded, [statementsLibrary]);
      if (rows.length > 0) await client.query(`CREATE EXTENSION ${statementsLibrary}`);
    },
    undefined,
    { long: true },
  );
}
