import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { PartError, UserError } from '../../contract/errors.ts';
import { readBeginning } from '../../files/read.ts';
import { startNoted } from '../../process/noted.ts';
import { askProgram, endGroup } from '../../process/run-command.ts';
import { type ClusterRequest, lastLines, lastWords, type OwnFiles, writeSettings } from './cluster-files.ts';
import type { PostgresBinaries } from './installations.ts';
import { serverEnvironment } from './initialise.ts';
import type { ServerUser } from './server-user.ts';
import { unlessHung } from './volumes/mounts.ts';

/** A server that accepts connections. */
export interface StartedServer {
  process: ChildProcess;
  port: number;
  /** Aborts when the server ends. */
  failed: AbortSignal;
}

const startSeconds = 60;
const mostPorts = 5;
/** Its eight lines are some 100 bytes, with the paths of folders. */
const mostOfPidFile = 2 ** 14;

/**
 * Starts the server of a data folder at a port that is free. Where somebody else takes the port before the server does,
 * another one is tried.
 *
 * @throws {UserError} if the server refuses a parameter of the experiment
 */
export async function startServer(
  request: ClusterRequest,
  ours: OwnFiles,
  binaries: PostgresBinaries,
  user: ServerUser,
  { choosePort, signal }: { choosePort: () => Promise<number>; signal: AbortSignal },
): Promise<StartedServer> {
  const preload = (await hasStatementsLibrary(binaries, signal)) ? [statementsLibrary] : [];
  for (let tried = 0; tried < mostPorts; tried += 1) {
    const port = await choosePort();
    writeSettings(request, ours, { port, major: binaries.major, preload });
    const server = spawnServer(request, ours, binaries, user);
    const failed = failure(server, request.variant, ours.serverLog);
    try {
      await waitUntilReady(server, request, ours.serverLog, { failed, signal });
      return { process: server, port, failed };
    } catch (error) {
      await stopServer(server);
      if (!failed.aborted || !(await isTaken(port))) throw error;
      // What it says of this port is not about the next one.
      rmSync(ours.serverLog, { force: true });
    }
  }
  throw new PartError(
    `the server of ${request.variant} found no port: ${mostPorts} were taken by others before it could take them`,
  );
}

/** Ends a server by an immediate shutdown, or with SIGINT by one that writes everything. */
export async function stopServer(server: ChildProcess, how: 'SIGQUIT' | 'SIGINT' = 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const ended = new Promise<true>((resolve) => server.once('exit', () => resolve(true)));
  server.kill(how);
  if ((await Promise.race([ended, sleep(10_000, undefined, { ref: false })])) === true) return;
  endGroup(server.pid, 'SIGKILL');
  // Even that does not end a server whose disk hangs, until the disk is gone: then the clean-up goes on, and removes both.
  if ((await Promise.race([ended, sleep(2000, undefined, { ref: false })])) !== true) server.unref();
}

function spawnServer(
  request: ClusterRequest,
  { serverLog, processNote, configuration, access }: OwnFiles,
  binaries: PostgresBinaries,
  user: ServerUser,
): ChildProcess {
  const log = openSync(serverLog, 'a', 0o600);
  const settings = ['-c', `config_file=${configuration}`, '-c', `hba_file=${access}`];
  try {
    // In a process group of its own, so that a Ctrl-C in the terminal does not stop the server during a trial before we do.
    return startNoted([path.join(binaries.folder, 'postgres'), '-D', request.dataFolder, ...settings], {
      ...user.spawnAs,
      note: processNote,
      output: log,
      cwd: request.folder,
      env: serverEnvironment(),
    });
  } finally {
    closeSync(log);
  }
}

function failure(server: ChildProcess, variant: string, serverLog: string): AbortSignal {
  const failed = new AbortController();
  server.once('exit', (code, signalName) => {
    failed.abort(
      new PartError(
        `the server of ${variant} ended (${signalName ?? `exit code ${code ?? '?'}`}): ${lastWords(serverLog)}`,
      ),
    );
  });
  server.once('error', (error) => failed.abort(error));
  return failed.signal;
}

async function waitUntilReady(
  server: ChildProcess,
  { variant, dataFolder }: ClusterRequest,
  serverLog: string,
  { failed, signal }: { failed: AbortSignal; signal: AbortSignal },
): Promise<void> {
  const late = AbortSignal.timeout(startSeconds * 1000);
  const given = AbortSignal.any([signal, failed, late]);
  try {
    await unlessHung(untilReady(dataFolder, server.pid, given), given);
  } catch (error) {
    signal.throwIfAborted();
    // A signal is nothing that the experiment asks for.
    if ((server.exitCode ?? 0) > 0) throw startFailure(variant, serverLog);
    if (!late.aborted) throw error;
    throw new PartError(`the server of ${variant} was not ready after ${startSeconds} s: ${lastWords(serverLog)}`);
  }
}

async function untilReady(dataFolder: string, pid: number | undefined, given: AbortSignal): Promise<void> {
  while (!(await isReady(dataFolder, pid))) {
    given.throwIfAborted();
    await sleep(20);
  }
}

/**
 * Whether this process says in its data folder that it accepts connections: by then it has its port. An answer at the port
 * alone could be somebody else's, who would be asked for the password.
 *
 * @see src/include/utils/pidfile.h of PostgreSQL: the first line is the process, the eighth its status
 */
async function isReady(dataFolder: string, pid: number | undefined): Promise<boolean> {
  const text = await readBeginning(path.join(dataFolder, 'postmaster.pid'), mostOfPidFile).catch(() => '');
  const lines = text.split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

function startFailure(variant: string, serverLog: string): Error {
  const lines = lastLines(serverLog);
  const refused = lines.filter((line) =>
    /unrecognized configuration parameter|invalid value for parameter|is outside the valid range|must be at least|FATAL/.test(
      line,
    ),
  );
  return new UserError(
    `The server of variant ${variant} does not start with the parameters of the experiment:\n  ${(refused.length > 0 ? refused : lines.slice(-5)).join('\n  ')}`,
  );
}

/** The library that RDS preloads, too: it counts what each statement costs. It is one of contrib. */
export const statementsLibrary = 'pg_stat_statements';

/** Whether this installation has it: a server does not start if it lacks a library that it is to preload. */
export async function hasStatementsLibrary(
  { folder }: Pick<PostgresBinaries, 'folder'>,
  signal: AbortSignal,
): Promise<boolean> {
  const told = await askProgram([path.join(folder, 'pg_config'), '--pkglibdir'], { signal }).catch(() => null);
  signal.throwIfAborted();
  const libraries =
    told?.exitCode === 0
      ? [told.stdout.trim()]
      : // Where pg_config is in a package of its own, the libraries are usually beside the programs.
        ['../lib', '../lib/postgresql', '../lib64/pgsql'].map((one) => path.join(folder, one));
  return libraries.some((one) =>
    ['so', 'dylib'].some((suffix) => existsSync(path.join(one, `${statementsLibrary}.${suffix}`))),
  );
}

const host = '127.0.0.1';

/** A port of 127.0.0.1 that nobody listens at now. Somebody else may take it before its server does. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system gave no port');
  return address.port;
}

/** Whether somebody listens at this port of 127.0.0.1. */
export async function isTaken(port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return true;
    throw error;
  }
  await new Promise((resolve) => server.close(resolve));
  return false;
}
