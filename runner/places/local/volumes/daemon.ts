import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PartError } from '../../../contract/errors.ts';
import { startNoted } from '../../../process/noted.ts';
import { toolEnvironment } from './programs.ts';

/** A process that serves a volume as long as the volume exists. */
export interface Daemon {
  /** Aborts when the process ends for any reason, with this reason and the last lines of its output. */
  ended: AbortSignal;
}

export interface DaemonFiles {
  log: string;
  /** Says which process it is. */
  note: string;
}

/**
 * Starts a program in a process group of its own: a Ctrl-C in the terminal must not take the disk away from a server. The
 * program does not keep us from ending (`--keep`).
 */
export function startDaemon(command: readonly string[], files: DaemonFiles): Daemon {
  const log = openSync(files.log, 'a', 0o600);
  const ended = new AbortController();
  try {
    const child = startNoted(command, { note: files.note, output: log, cwd: '/', env: toolEnvironment() });
    child.once('error', (error) => ended.abort(error));
    child.once('exit', (code, signalName) => {
      const lastWords = readLog(files.log).split('\n').slice(-3).join(' | ');
      ended.abort(
        new PartError(
          `${command[0] ?? ''} ended (${signalName ?? `exit code ${code ?? '?'}`})${lastWords && `: ${lastWords}`}`,
        ),
      );
    });
    child.unref();
  } finally {
    closeSync(log);
  }
  return { ended: ended.signal };
}

/**
 * Waits until `ready` holds.
 *
 * @throws the reason if the daemon ends first, or if `signal` aborts
 */
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
    if (Date.now() > end) throw new PartError(`${what} is not there after 10 seconds`);
    await sleep(10);
  }
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    // The folder has been removed already.
    return '';
  }
}
