import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { toolEnvironment } from './programs.ts';

/** A process that serves a volume for as long as the volume is there. */
export interface Daemon {
  /** Aborts when the process ends, whoever ended it, with the reason and its last words. */
  ended: AbortSignal;
}

/**
 * Starts a program in a process group of its own, so that a Ctrl-C in the terminal does not take the disk from under a
 * server, and without holding us back from ending (`--keep`). Its output goes to `logFile`.
 */
export function startDaemon([program = '', ...args]: readonly string[], logFile: string): Daemon {
  const log = openSync(logFile, 'a', 0o600);
  const ended = new AbortController();
  try {
    const child = spawn(program, args, {
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
      env: toolEnvironment(),
    });
    child.once('error', (error) => ended.abort(error));
    child.once('exit', (code, signalName) => {
      const lastWords = readLog(logFile).split('\n').slice(-3).join(' | ');
      ended.abort(
        new Error(`${program} ended (${signalName ?? `exit code ${code ?? '?'}`})${lastWords && `: ${lastWords}`}`),
      );
    });
    child.unref();
  } finally {
    closeSync(log);
  }
  return { ended: ended.signal };
}

/** Waits until `ready` holds; a daemon that ends first, or `signal`, ends the wait with their reason. */
export async function waitForDaemon(
  daemon: Daemon,
  what: string,
  ready: () => boolean | Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const end = Date.now() + 10_000;
  while (!(await ready())) {
    signal.throwIfAborted();
    daemon.ended.throwIfAborted();
    if (Date.now() > end) throw new Error(`${what} is not there after 10 seconds`);
    await sleep(10);
  }
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    // The folder is gone already.
    return '';
  }
}
