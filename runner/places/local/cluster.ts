import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '../../postgres/connect.ts';
import type { ParameterValue } from '../../contract/experiment/variant.ts';
import { UserError } from '../../contract/errors.ts';
import { demandCommand, endGroup } from '../../process/run-command.ts';
import type { PlacedTarget } from '../place.ts';
import type { PostgresBinaries } from './postgres-binaries.ts';
import type { ServerUser } from './server-user.ts';
import { configurationText, refuseOwnParameters, verifyParameters } from './parameters.ts';

export interface ClusterRequest {
  variant: string;
  /** Exists, belongs to the server's user, and is empty. */
  dataFolder: string;
  /** The same for WAL; null to keep it with the data. */
  walFolder: string | null;
  /** For what is neither data nor WAL: password file, socket, server log. */
  folder: string;
  parameters: Record<string, ParameterValue>;
}

/** One running server with an empty database. */
export interface Cluster {
  target: PlacedTarget;
  serverLog: string;
  /** Process id of the postmaster. */
  pid: number;
  /** Immediate shutdown: nothing in it is wanted any more. */
  stop(): Promise<void>;
  /** Lets the server outlive us. */
  release(): void;
}

const databaseName = 'pgduet';
const superuser = 'postgres';

/**
 * Makes and starts a private cluster: loopback only, scram password, a free port, parameters applied and verified.
 *
 * @throws {UserError} where the server refuses a parameter of the experiment.
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
  const password = randomBytes(24).toString('base64url');
  await initialise(request, binaries, user, password, signal);

  const serverLog = path.join(request.folder, 'server.log');
  const port = await freePort();
  writeFileSync(
    path.join(request.dataFolder, 'pgduet.conf'),
    configurationText({ parameters: request.parameters, port, folder: request.folder, major: binaries.major }),
  );
  appendFileSync(path.join(request.dataFolder, 'postgresql.conf'), "\ninclude 'pgduet.conf'\n");
  writeFileSync(
    path.join(request.dataFolder, 'pg_hba.conf'),
    `local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n`,
  );

  // Ours, not the server's: it is the load generator that reads it.
  const passwordFile = path.join(path.dirname(request.folder), `${request.variant}.pgpass`);
  writeFileSync(passwordFile, `*:*:*:${superuser}:${password}\n`, { mode: 0o600 });

  const server = spawnServer(request, binaries, user, serverLog);
  const failed = new AbortController();
  server.once('exit', (code, signalName) => {
    failed.abort(
      new Error(
        `the server of ${request.variant} ended (${signalName ?? `exit code ${code ?? '?'}`}): ${lastWords(serverLog)}`,
      ),
    );
  });
  server.once('error', (error) => failed.abort(error));

  const target: PlacedTarget = {
    variant: request.variant,
    host: '127.0.0.1',
    port,
    user: superuser,
    database: databaseName,
    environment: { PGPASSFILE: passwordFile },
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
    await verifyParameters(target, request.parameters);
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
  // A file, not a pipe: after the change of user, initdb may not open /dev/fd.
  const passwordFile = path.join(request.folder, 'initial-password');
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
        // RDS has checksums on. Without sync: a cluster that is lost with the machine is no loss.
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
  binaries: PostgresBinaries,
  user: ServerUser,
  serverLog: string,
): ChildProcess {
  const log = openSync(serverLog, 'a', 0o600);
  try {
    return spawn(path.join(binaries.folder, 'postgres'), ['-D', request.dataFolder], {
      ...user.spawnAs,
      cwd: request.folder,
      env: serverEnvironment(),
      // A group of its own, so that a Ctrl-C in the terminal does not stop the server under a trial before we do.
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    closeSync(log);
  }
}

/** Messages in English, and none of the caller's PG* settings. */
function serverEnvironment(): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<true>((resolve) => server.once('exit', () => resolve(true)));
  server.kill('SIGQUIT');
  if ((await Promise.race([ended, sleep(10_000, undefined, { ref: false })])) === true) return;
  endGroup(server.pid, 'SIGKILL');
  await ended;
}

async function waitUntilReady(target: PlacedTarget, serverLog: string, signal: AbortSignal): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    signal.throwIfAborted();
    if (target.failed.aborted) throw startFailure(target.variant, serverLog);
    try {
      const client = await connect({ ...target, database: 'postgres' });
      await client.end();
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
  const client = await connect({ ...target, database: 'postgres' });
  try {
    await client.query(`CREATE DATABASE ${databaseName}`);
  } finally {
    await client.end();
  }
}

/** What the server said was wrong, else its last words. */
function lastWords(file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const grave = lines.filter((line) => /PANIC|FATAL|was terminated by/.test(line));
  return (grave.at(0) ?? lines.at(-1) ?? '').trim();
}

/** A port of 127.0.0.1 that nobody listens at; the server follows at once. */
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
