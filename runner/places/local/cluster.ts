import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { withConnection } from '../../postgres/connect.ts';
import type { PlacedTarget } from '../place.ts';
import type { PostgresBinaries } from './installations.ts';
import type { ServerUser } from './server-user.ts';
import { type ClusterRequest, ownFiles } from './cluster-files.ts';
import { initialise } from './initialise.ts';
import { refuseOwnParameters } from './parameters.ts';
import { freePort } from './port.ts';
import { startServer, stopServer } from './start-server.ts';

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
      asked: { parameters: request.parameters, version: binaries.version },
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

async function createDatabase(target: PlacedTarget): Promise<void> {
  await withConnection(
    { ...target, database: 'postgres' },
    (client) => client.query(`CREATE DATABASE ${databaseName}`),
    undefined,
    { long: true },
  );
}
