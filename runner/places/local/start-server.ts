import type { ChildProcess } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { hasCode, PartError, UserError } from '../../contract/errors.ts';
import { readBeginning } from '../../files/read.ts';
import { endOf, spawnTracked } from '../../process/tracked-process.ts';
import { askProgram, endGroup } from '../../process/run-command.ts';
import { parameterRemedies } from '../named-parameter.ts';
import { type ClusterRequest, lastLines, lastWords, type OwnFiles, writeSettings } from './cluster-files.ts';
import type { PostgresBinaries } from './installations.ts';
import { serverEnvironment } from './initialise.ts';
import { reducedRights, type Rights, serverUser } from '../../process/rights.ts';
import { waitUntil } from '../../process/wait-until.ts';
import { abortable } from './volumes/mounts.ts';

/** A server that accepts connections. */
export interface StartedServer {
  process: ChildProcess;
  port: number;
  /** Aborts when the server ends. */
  failed: AbortSignal;
}

const startSeconds = 60;
const maxPorts = 5;
/** Its eight lines have about 100 bytes, plus the paths of folders. */
const maxPidFileBytes = 2 ** 14;

/**
 * Starts the server of a data folder at a free port. If another program takes the port before the server does, tries
 * another port.
 *
 * @throws {UserError} if the server refuses a parameter of the experiment
 */
export async function startServer(
  request: ClusterRequest,
  ours: OwnFiles,
  binaries: PostgresBinaries,
  { choosePort, signal }: { choosePort: () => Promise<number>; signal: AbortSignal },
): Promise<StartedServer> {
  const preload = (await hasStatementsLibrary(binaries, signal)) ? [statementsLibrary] : [];
  for (let tried = 0; tried < maxPorts; tried += 1) {
    const port = await choosePort();
    writeSettings(request, ours, { port, major: binaries.major, preload, user: serverUser() });
    const server = spawnServer(request, ours, binaries, await reducedRights());
    const failed = endOf(server, `the server of ${request.variant}`, 'server-ended', () => lastWords(ours.serverLog));
    try {
      await waitUntilReady(server, request, ours.serverLog, { failed, signal });
      return { process: server, port, failed };
    } catch (error) {
      await stopServer(server);
      if (!failed.aborted || !(await isTaken(port))) throw error;
      // The log's errors about this port do not apply to the next one.
      rmSync(ours.serverLog, { force: true });
    }
  }
  throw new PartError(
    `the server of ${request.variant} found no free port: other programs took ${maxPorts} ports first`,
    'server-ended',
  );
}

/** Ends a server by an immediate shutdown, or with SIGINT by a clean one that writes everything. */
export async function stopServer(server: ChildProcess, how: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<true>((resolve) => server.once('exit', () => resolve(true)));
  server.kill(how);
  if ((await Promise.race([ended, sleep(10_000, undefined, { ref: false })])) === true) return;
  endGroup(server.pid, 'SIGKILL');
  // Even SIGKILL does not end a server whose disk hangs until the disk is gone. The clean-up then continues, and
  // removes both.
  if ((await Promise.race([ended, sleep(2000, undefined, { ref: false })])) !== true) server.unref();
}

function spawnServer(
  request: ClusterRequest,
  { serverLog, processNote, configuration, access }: OwnFiles,
  binaries: PostgresBinaries,
  { prefix, spawnAs }: Rights,
): ChildProcess {
  const settings = ['-c', `config_file=${configuration}`, '-c', `hba_file=${access}`];
  // In its own process group, so that a Ctrl-C in the terminal does not stop the server during a trial before we do.
  return spawnTracked([...prefix, path.join(binaries.folder, 'postgres'), '-D', request.dataFolder, ...settings], {
    ...spawnAs,
    note: processNote,
    log: serverLog,
    cwd: request.folder,
    env: serverEnvironment(),
  });
}

async function waitUntilReady(
  server: ChildProcess,
  request: ClusterRequest,
  serverLog: string,
  { failed, signal }: { failed: AbortSignal; signal: AbortSignal },
): Promise<void> {
  const { variant, dataFolder } = request;
  const late = AbortSignal.timeout(startSeconds * 1000);
  const bound = AbortSignal.any([signal, failed, late]);
  try {
    const ready = (): Promise<boolean> => isReady(dataFolder, server.pid);
    await abortable(waitUntil(ready, { seconds: Infinity, everyMs: 20, signal: bound }), bound);
  } catch (error) {
    signal.throwIfAborted();
    // A positive exit code: the server refused to start. If a signal ended it, the experiment's parameters are not the
    // cause.
    if ((server.exitCode ?? 0) > 0) throw startFailure(request, serverLog);
    if (!late.aborted) throw error;
    throw new PartError(
      `the server of ${variant} was not ready after ${startSeconds} s: ${lastWords(serverLog)}`,
      'no-answer',
    );
  }
}

/**
 * Whether this process reports in its data folder that it accepts connections: it then owns its port. An answer at the
 * port alone could come from another program, which would then receive the password.
 *
 * @see src/include/utils/pidfile.h of PostgreSQL: the first line is the process, the eighth its status
 */
async function isReady(dataFolder: string, pid: number | undefined): Promise<boolean> {
  const text = await readBeginning(path.join(dataFolder, 'postmaster.pid'), maxPidFileBytes).catch(() => '');
  const lines = text.split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

function startFailure({ variant, parameters }: ClusterRequest, serverLog: string): Error {
  const lines = lastLines(serverLog);
  const refused = lines.filter((line) =>
    /unrecognized configuration parameter|invalid value for parameter|is outside the valid range|must be at least|FATAL/.test(
      line,
    ),
  );
  const refusal = (of: readonly string[]): string =>
    `The server of variant ${variant} does not start with the parameters of the experiment:\n  ${of.join('\n  ')}`;
  const remedies = parameterRemedies(parameters, refused.join('\n'), 'server-ended');
  if (remedies.length > 0) return new UserError([refusal(refused), ...remedies]);
  // Some reasons name no parameter, such as "Bonjour is not supported by this build": it is one of these.
  const all = Object.entries(parameters).map(([name, value]) => `${name}: ${value}`);
  return new UserError(`${refusal(lines.slice(-5))}\nThe variant has these parameters: ${all.join(', ')}.`);
}

/** A library of contrib that RDS preloads, too: it records the cost of each statement. */
export const statementsLibrary = 'pg_stat_statements';

/** Whether this installation has the library: a server does not start if a library to preload is missing. */
export async function hasStatementsLibrary(
  { folder }: Pick<PostgresBinaries, 'folder'>,
  signal: AbortSignal,
): Promise<boolean> {
  const reported = await askProgram([path.join(folder, 'pg_config'), '--pkglibdir'], { signal }).catch(() => null);
  signal.throwIfAborted();
  const libraries =
    reported?.exitCode === 0
      ? [reported.stdout.trim()]
      : // If pg_config is in another package that is not installed, the libraries are usually beside the programs.
        ['../lib', '../lib/postgresql', '../lib64/pgsql'].map((one) => path.join(folder, one));
  return libraries.some((one) =>
    ['so', 'dylib'].some((suffix) => existsSync(path.join(one, `${statementsLibrary}.${suffix}`))),
  );
}

const host = '127.0.0.1';

/** A free port of 127.0.0.1. Another program may take it before the server does. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Whether a program listens at this port of 127.0.0.1. */
async function isTaken(port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) return true;
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return false;
}
