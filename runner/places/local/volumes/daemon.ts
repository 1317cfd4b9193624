import path from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { namesIn } from '../../../files/look.ts';
import { endOf, trackedSuffix, spawnTracked } from '../../../process/tracked-process.ts';
import { PartError } from '../../../contract/errors.ts';
import { toolEnvironment } from './programs.ts';
import { runChecked } from '../../../process/run-command.ts';
import { waitUntil } from '../../../process/wait-until.ts';
import { mountsIn } from './mounts.ts';

const name = 'd';
const monitorSuffix = '.qmp';

/** Bytes that a socket's name takes in its address, after the path of the volumes' folder. */
export const socketNameBytes = `/${name}/99${monitorSuffix}`.length;

/**
 * Folder for all files of the volumes except their mount points. No other user may enter it, whatever the umask:
 * anybody who reaches the sockets of a root daemon can read every file of the machine.
 */
export function privateFolderIn(volumes: string): string {
  return path.join(volumes, name);
}

/**
 * Files of the storage daemon of a volume: the socket of its monitor, and the note of its process.
 *
 * @param number used as a short name, because the address of a socket holds at most 107 bytes
 */
export function monitorFiles(volumes: string, number: string): { qmpSocket: string; qmpNote: string } {
  const qmpSocket = path.join(privateFolderIn(volumes), `${number}${monitorSuffix}`);
  return { qmpSocket, qmpNote: `${qmpSocket}${trackedSuffix}` };
}

/** The same for every storage daemon that was started; empty if there is no such folder. */
export function monitorsIn(volumes: string): ReturnType<typeof monitorFiles>[] {
  return namesIn(privateFolderIn(volumes))
    .filter((file) => file.endsWith(monitorSuffix))
    .map((file) => monitorFiles(volumes, file.slice(0, -monitorSuffix.length)));
}

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
export function startDaemon(command: readonly string[], { log, note }: DaemonFiles): Daemon {
  const child = spawnTracked(command, { note, log, cwd: '/', env: toolEnvironment() });
  child.unref();
  return {
    ended: endOf(child, command[0] ?? '', 'volume-failed', () => readLog(log).split('\n').slice(-3).join(' | ')),
  };
}

/** A daemon that ends is noticed at once, so this is only for one that hangs. A busy machine has taken ten. */
const patienceSeconds = 60;

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
  const bound = { seconds: patienceSeconds, everyMs: 10, signal: AbortSignal.any([signal, daemon.ended]) };
  if (await waitUntil(ready, bound)) return;
  throw new PartError(`${what} did not appear within ${patienceSeconds} seconds`, 'volume-failed');
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
