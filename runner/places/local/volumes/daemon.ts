import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PartError } from '../../../contract/errors.ts';
import { startNoted } from '../../../process/noted.ts';
import { toolEnvironment } from './programs.ts';
import { runChecked } from '../../../process/run-command.ts';
import { mountsIn } from './mounts.ts';

/** A process that serves a volume as long as the volume exists. */
export interface Daemon {
  /** Aborts when the process ends, with the reason and the last lines of its output. */
  ended: AbortSignal;
}

export interface DaemonFiles {
  log: string;
  /** File that identifies the process. */
  note: string;
}

/**
 * Starts a program in its own process group: a Ctrl-C in the terminal must not take the disk away from a server. pgduet
 * can end before the program does (`--keep`).
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
    if (Date.now() > end) throw new PartError(`${what} did not appear within 10 seconds`);
    await sleep(10);
  }
}

function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    // The folder has already been removed.
    return '';
  }
}

/** Makes the device behind an NBD socket appear as the file `file`. */
export async function exposeAsFile(
  nbdSocket: string,
  file: string,
  files: DaemonFiles,
  signal: AbortSignal,
): Promise<Daemon> {
  writeFileSync(file, '');
  const daemon = startDaemon(['nbdfuse', file, `nbd+unix:///?socket=${encodeURIComponent(nbdSocket)}`], files);
  await waitForDaemon(daemon, `the file ${file}`, () => mountsIn(file).length > 0, signal);
  return daemon;
}

/**
 * Makes a new ext4 file system in the file through a loop device, mounts it at `mountPoint`, and returns the loop
 * device.
 */
export async function mountAsFileSystem(file: string, mountPoint: string, signal: AbortSignal): Promise<string> {
  const run = async (...command: string[]): Promise<string> =>
    (await runChecked(command, { signal, environment: toolEnvironment() })).stdout.trim();
  // With direct I/O: otherwise the file's page cache would hide I/O from the throttle.
  const device = await run('losetup', '--show', '--direct-io=on', '--find', file);
  // Write the whole journal and all inode tables now: ext4 would otherwise write them in the background during the
  // trials. The image is new, so there is nothing to discard, and root needs no reserved blocks.
  const options = 'lazy_itable_init=0,lazy_journal_init=0,nodiscard';
  await run('mkfs.ext4', '-q', '-F', '-m', '0', '-E', options, device);
  await run('mount', '-t', 'ext4', '-o', 'noatime,nosuid,nodev', device, mountPoint);
  return device;
}
