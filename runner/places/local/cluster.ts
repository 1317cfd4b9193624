import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, withConnection } from '../../postgres/connect.ts';
import { disconnect } from '../../postgres/unanswered.ts';
import { PartError, UserError } from '../../contract/errors.ts';
import { demandCommand, endGroup } from '../../process/run-command.ts';
import type { PlacedTarget } from '../place.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { ServerUser } from './server-user.ts';
import { type ClusterRequest, lastWords, type OwnFiles, ownFiles, writeSettings } from './cluster-files.ts';
import { refuseOwnParameters } from './parameters.ts';

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
 * @throws {UserError} if the server refuses a parameter of the experiment
 */
export async function startCluster(
  request: ClusterRequest,
  binaries: PostgresBinaries,
  user: ServerUser,
  signal: AbortSignal,
): Promise<Cluster> {
  refuseOwnParameters(request.variant, request.parameters);
  mkdirSync(request.folder, { mode: 0o700 });
  chownSync(request.folder, user.uid, user.gid);
  const ours = ownFiles(request);
  const password = randomBytes(24).toString('base64url');
  await initialise(request, binaries, user, password, signal);

  const { serverLog } = ours;
  const port = await freePort();
  writeSettings(request, ours, { port, major: binaries.major });
  // The load generator reads it.
  writeFileSync(ours.passwordFile, `*:*:*:${superuser}:${password}\n`, { mode: 0o600 });

  const server = spawnServer(request, ours, binaries, user);
  const failed = new AbortController();
  server.once('exit', (code, signalName) => {
    failed.abort(
      new PartError(
        `the server of ${request.variant} ended (${signalName ?? `exit code ${code ?? '?'}`}): ${lastWords(serverLog)}`,
      ),
    );
  });
  server.once('error', (error) => failed.abort(error));

  const target: PlacedTarget = {
    server: request.variant,
    host: '127.0.0.1',
    port,
    user: superuser,
    database: databaseName,
    environment: { PGPASSFILE: ours.passwordFile },
    asked: { parameters: request.parameters, version: null },
    failed: failed.signal,
  };
  const cluster: Cluster = {
    target,
    serverLog,
    pid: server.pid ?? 0,
    stop: () => stopServer(server),
    release: () => server.unref(),
  };
  try {
    await waitUntilReady(target, serverLog, signal);
    await createDatabase(target);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

async function initialise(
  request: ClusterRequest,
  binaries: PostgresBinaries,
  user: ServerUser,
  password: string,
  signal: AbortSignal,
): Promise<void> {
  // A file instead of a pipe: after the change of user, initdb may not be able to open /dev/fd.
  const passwordFile = ownFiles(request).initialPassword;
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  chownSync(passwordFile, user.uid, user.gid);
  try {
    await demandCommand(
      [
        path.join(binaries.folder, 'initdb'),
        `--pgdata=${request.dataFolder}`,
        ...(request.walFolder === null ? [] : [`--waldir=${request.walFolder}`]),
        `--username=${superuser}`,
        `--pwfile=${passwordFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--no-locale',
        // With checksums, as on RDS. Without sync: if the machine fails, the loss of the cluster does not matter.
        '--data-checksums',
        '--no-sync',
      ],
      { ...user.spawnAs, cwd: request.folder, signal, environment: serverEnvironment() },
    );
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

function spawnServer(
  request: ClusterRequest,
  { serverLog, configuration, access }: OwnFiles,
  binaries: PostgresBinaries,
  user: ServerUser,
): ChildProcess {
  const log = openSync(serverLog, 'a', 0o600);
  const settings = ['-c', `config_file=${configuration}`, '-c', `hba_file=${access}`];
  try {
    return spawn(path.join(binaries.folder, 'postgres'), ['-D', request.dataFolder, ...settings], {
      ...user.spawnAs,
      cwd: request.folder,
      env: serverEnvironment(),
      // A process group of its own, so that a Ctrl-C in the terminal does not stop the server during a trial before we do.
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

/** Makes messages English, and keeps out the caller's PG* settings. */
function serverEnvironment(): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<true>((resolve) => server.once('exit', () => resolve(true)));
  server.kill('SIGQUIT');
  if ((await Promise.race([ended, sleep(10_000, undefined, { ref: false })])) === true) return;
  endGroup(server.pid, 'SIGKILL');
  // Even that does not end a server whose disk hangs, until the disk is gone: then the clean-up goes on, and removes both.
  if ((await Promise.race([ended, sleep(2000, undefined, { ref: false })])) !== true) server.unref();
}

async function waitUntilReady(target: PlacedTarget, serverLog: string, signal: AbortSignal): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    signal.throwIfAborted();
    if (target.failed.aborted) throw startFailure(target.server, serverLog);
    try {
      await disconnect(await connect({ ...target, database: 'postgres' }));
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await sleep(50);
  }
}

function startFailure(variant: string, serverLog: string): Error {
  const lines = readFileSync(serverLog, 'utf8').split('\n');
  const refused = lines.filter((line) =>
    /unrecognized configuration parameter|invalid value for parameter|is outside the valid range|must be at least|FATAL/.test(
      line,
    ),
  );
  return new UserError(
    `The server of variant ${variant} does not start with the parameters of the experiment:\n  ${(refused.length > 0 ? refused : lines.slice(-5)).join('\n  ')}`,
  );
}

async function createDatabase(target: PlacedTarget): Promise<void> {
  await withConnection(
    { ...target, database: 'postgres' },
    (client) => client.query(`CREATE DATABASE ${databaseName}`),
    undefined,
    { long: true },
  );
}

/** A port of 127.0.0.1 that nobody listens at. The server takes it immediately afterwards. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}
