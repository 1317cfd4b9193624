import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { PartError } from '../../contract/errors.ts';
import { withConnection } from '../../postgres/connect.ts';
import { outsideLoad, quietClients } from '../../postgres/target.ts';
import { withCauseInParameter } from '../named-parameter.ts';
import type { PlacedTarget } from '../place.ts';
import type { PostgresBinaries } from './installations.ts';
import type { ServerUser } from '../../process/rights.ts';
import { type ClusterRequest, ownFiles } from './cluster-files.ts';
import { copyDataFolder, initialise } from './initialise.ts';
import { freePort, type StartedServer, startServer, statementsLibrary, stopServer } from './start-server.ts';
import { type StartedPooler, startPooler } from './pooler.ts';
import { awaitSynchronous, type Standby, startStandbys, waitingFor } from './standbys.ts';

/** A running server with an empty database, and the standbys that it waits for. */
export interface Cluster {
  target: PlacedTarget;
  serverLog: string;
  /** Process id of the postmaster, which a restart changes. */
  readonly pid: number;
  standbys: readonly Standby[];
  /** Absent if the load goes to the server itself. */
  pooler?: StartedPooler;
  /**
   * Shuts the primary down cleanly and starts it at the same port. When this resolves, its standbys follow it again.
   */
  restart(signal: AbortSignal): Promise<void>;
  /** Stops the servers by an immediate shutdown: their data is no longer needed. */
  stop(): Promise<void>;
  /** Lets the servers continue after this process ends. */
  release(): void;
}

const databaseName = 'pgduet';
const superuser = 'postgres';

/**
 * Makes and starts a private cluster: loopback only, with a scram password, a free port, the requested parameters and
 * synchronous standbys.
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
  mkdirSync(request.folder, { mode: 0o700 });
  chownSync(request.folder, user.uid, user.gid);
  const ours = ownFiles(request);
  const password = randomBytes(24).toString('base64url');
  await initialise(request, { name: superuser, password }, binaries, user, signal);
  const standbyRequests = request.standbys ?? [];
  for (const standby of standbyRequests) {
    const ownFolder = `${request.folder}.${standby.name}`;
    mkdirSync(ownFolder, { mode: 0o700 });
    chownSync(ownFolder, user.uid, user.gid);
  }
  // The load generator reads it.
  writeFileSync(ours.passwordFile, `*:*:*:${superuser}:${password}\n`, { mode: 0o600 });

  const start = () => startServer(request, ours, binaries, { choosePort, signal });
  if (standbyRequests.length > 0) {
    // At its first start, a server writes its max_connections and similar settings into its control file. A copy from
    // before that would still have initdb's values, and would refuse to start as a standby with lower ones.
    await stopInOrder(await start(), request.variant, 'copy');
    for (const standby of standbyRequests) await copyDataFolder(request, standby, user, signal);
  }
  let running = await start();
  const { port } = running;
  const life = lifeOf(running);
  const target: PlacedTarget = {
    server: request.variant,
    host: '127.0.0.1',
    port,
    user: superuser,
    database: databaseName,
    environment: { PGPASSFILE: ours.passwordFile, ...quietClients(request.parameters) },
    asked: {
      parameters: { ...request.parameters, ...waitingFor(standbyRequests.map(({ name }) => name)) },
      version: binaries.version,
    },
    built: binaries.built,
    failed: life.failed,
  };
  try {
    await withCauseInParameter(target, () => createDatabase(target, signal));
    const standbys =
      standbyRequests.length === 0
        ? []
        : await startStandbys(request, target, password, binaries, user, { choosePort, signal });
    const pooler =
      request.pooler &&
      (await startPooler(
        request.pooler,
        { ...target, password },
        { ours, folder: request.folder, user },
        { choosePort, signal },
      ));
    const servers = () => [
      ...(pooler ? [pooler.process] : []),
      running.process,
      ...standbys.map((standby) => standby.process),
    ];
    return {
      target: pooler
        ? { ...target, pooler: pooler.address, failed: AbortSignal.any([target.failed, pooler.failed]) }
        : target,
      ...(pooler && { pooler }),
      serverLog: ours.serverLog,
      get pid() {
        return running.process.pid ?? 0;
      },
      standbys,
      async restart(until) {
        running = await life.continueWith(async () => {
          await stopInOrder(running, request.variant, 'restart');
          const samePort = { choosePort: () => Promise.resolve(port), signal: until };
          return startServer(request, ours, binaries, samePort);
        });
        await awaitSynchronous(
          target,
          standbyRequests.map(({ name }) => name),
          until,
        );
      },
      async stop() {
        await Promise.all(servers().map((one) => stopServer(one)));
      },
      release() {
        for (const one of servers()) one.unref();
      },
    };
  } catch (error) {
    await stopServer(running.process);
    throw error;
  }
}

/** Watches one server across its restarts. `failed` aborts when the server ends, unless it is being restarted. */
function lifeOf(first: StartedServer): {
  failed: AbortSignal;
  continueWith: (restart: () => Promise<StartedServer>) => Promise<StartedServer>;
} {
  const failed = new AbortController();
  let restarting = false;
  const watch = (server: AbortSignal): void => {
    const tell = (): void => {
      if (!restarting) failed.abort(server.reason);
    };
    if (server.aborted) tell();
    else server.addEventListener('abort', tell, { once: true });
  };
  watch(first.failed);
  return {
    failed: failed.signal,
    async continueWith(restart) {
      restarting = true;
      try {
        const next = await restart();
        restarting = false;
        watch(next.failed);
        return next;
      } catch (error) {
        failed.abort(error);
        throw error;
      }
    },
  };
}

async function stopInOrder({ process }: StartedServer, variant: string, purpose: string): Promise<void> {
  await stopServer(process, 'SIGINT');
  if (process.exitCode !== 0)
    throw new PartError(`the server of ${variant} did not shut down cleanly before its ${purpose}`, 'server-ended');
}

/** Whether an extension is available and its library is loaded: an experiment may preload other libraries instead. */
const isPreloaded = `SELECT name FROM pg_available_extensions
  WHERE name = $1 AND name = ANY (string_to_array(replace(current_setting('shared_preload_libraries'), ' ', ''), ','))`;

const isAvailable = 'SELECT name FROM pg_available_extensions WHERE name = $1';

async function createDatabase(target: PlacedTarget, signal: AbortSignal): Promise<void> {
  await withConnection(
    outsideLoad(target),
    async (client) => {
      await client.query(`CREATE DATABASE ${databaseName}`);
      // In `postgres`, not in the measured database, which resets replace.
      const { rows } = await client.query(isPreloaded, [statementsLibrary]);
      if (rows.length > 0) await client.query(`CREATE EXTENSION ${statementsLibrary}`);
      // Counts dirty buffers, and needs no preloaded library.
      const { rows: buffercache } = await client.query(isAvailable, ['pg_buffercache']);
      if (buffercache.length > 0) await client.query('CREATE EXTENSION pg_buffercache');
    },
    signal,
    { long: true },
  );
}
