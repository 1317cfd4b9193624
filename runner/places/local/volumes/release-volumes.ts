import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PartError } from '../../../contract/errors.ts';
import { namesIn } from '../../../files/look.ts';
import {
  isRunning,
  trackedProcess,
  trackedProcessesIn,
  type ProcessIdentity,
} from '../../../process/tracked-process.ts';
import { endGroup, runCommand } from '../../../process/run-command.ts';
import { waitUntil } from '../../../process/wait-until.ts';
import { describeProcess, processesUsing } from '../processes.ts';
import { loopDevicesIn, mountsIn, abortable } from './mounts.ts';
import { monitorsIn, privateFolderIn } from './daemon.ts';
import { toolEnvironment } from './programs.ts';
import { noLimits, setLimits } from './storage-daemon.ts';

/**
 * Removes all limited volumes below a folder of volumes: unmounts and detaches them, and ends their daemons. It touches
 * only what is in that folder, and the processes that were noted there. It may be called again, even if nothing is
 * left. The servers on the volumes must be stopped. The files of the volumes stay.
 *
 * Processes that still use a volume hold up nothing: their accesses fail from then on.
 *
 * @throws {PartError} if something remains until another process ends, when the kernel removes it
 */
export async function releaseVolumes(folder: string, signal = new AbortController().signal): Promise<void> {
  if (process.platform !== 'linux') return;
  await liftLimits(folder, signal);
  const users = usersOf(folder);
  const fileSystems = mountsIn(folder).filter(({ fileSystem }) => !fileSystem.startsWith('fuse'));
  for (const mount of fileSystems) await unmount(mount.path, folder, signal);
  await removeMountPoints(folder, signal);
  // If a device is still in use, this makes the kernel detach it after its last use.
  for (const device of loopDevicesIn(folder)) await runTool(['losetup', '--detach', device], signal);
  const areDetached = (): boolean => loopDevicesIn(folder).length === 0;
  await waitUntil(areDetached, { seconds: 2, everyMs: 20, signal });
  if (!areDetached()) {
    // This also ends the waiting of processes for a daemon that hangs.
    await end(daemonsOf(folder), 'SIGKILL', 5, signal);
    await waitUntil(areDetached, { seconds: letGoSeconds, everyMs: 20, signal });
  }
  // The next step removes the paths by which devices are found.
  const devices = loopDevicesIn(folder);
  for (const mount of mountsIn(folder)) await unmount(mount.path, folder, signal);
  await end(daemonsOf(folder), 'SIGTERM', 2, signal);
  await end(daemonsOf(folder), 'SIGKILL', 5, signal);
  const left = [...devices, ...daemonsOf(folder)().map(nameOf), ...mountsIn(folder).map((mount) => mount.path)];
  if (left.length > 0) throw stillInUse(folder, left, users.filter(isRunning));
}

/**
 * How long a device may stay in use after its daemons were killed. A process then gets errors, and usually ends: a
 * writer of the volume check whose runner was killed, a program that makes a file system, one that looks at each device.
 */
const letGoSeconds = 5;

function usersOf(folder: string): ProcessIdentity[] {
  const daemons = daemonsOf(folder)().map(({ pid }) => pid);
  return processesUsing(folder).filter(({ pid }) => !daemons.includes(pid));
}

const nameOf = (one: ProcessIdentity): string => `process ${describeProcess(one)}`;

function stillInUse(folder: string, left: readonly string[], users: readonly ProcessIdentity[]): PartError {
  const by = users.length === 0 ? 'whatever uses it' : users.map(nameOf).join(' and ');
  return new PartError(`The volumes in ${folder} left ${left.join(', ')} behind, until ${by} ends.`, 'volume-failed');
}

/**
 * Removes the limits. Unmounting writes out all dirty pages, which would take minutes at a few hundred I/Os a second.
 * If a daemon does not answer, this ends it: every write then fails at once. Otherwise it would hold up everything that
 * follows.
 */
async function liftLimits(folder: string, signal: AbortSignal): Promise<void> {
  await Promise.all(
    monitorsIn(folder).map(({ qmpSocket, qmpNote }) =>
      abortable(setLimits(qmpSocket, noLimits), signal).catch(() => {
        signal.throwIfAborted();
        return end(() => [trackedProcess(qmpNote) ?? []].flat(), 'SIGKILL', 5, signal);
      }),
    ),
  );
}

/** Unmounts. If a process uses the mount, it disappears at once, and the kernel unmounts it after its last use. */
async function unmount(mountPoint: string, folder: string, signal: AbortSignal): Promise<void> {
  const exitCode = await runAbortable(['umount', mountPoint], folder, signal);
  if (exitCode !== 0) await runTool(['umount', '--lazy', mountPoint], signal);
}

/**
 * Removes the folders on which volumes were mounted, which unmounts them in all other mount namespaces, too. A namespace
 * that began during the run (`unshare --mount`, a container, a service) has a copy of each mount. Unmounting does not
 * reach private copies, but since Linux 3.18 every mount goes with the folder that it is mounted on. Folders that are
 * not empty stay.
 */
async function removeMountPoints(folder: string, signal: AbortSignal): Promise<void> {
  const folders = namesIn(folder).map((name) => path.join(folder, name));
  if (folders.length > 0) await runAbortable(['rmdir', '--', ...folders], folder, signal);
}

/**
 * Runs a tool that may wait for a daemon, and returns its exit code. If a daemon hangs, this ends all daemons of the
 * folder: every access then fails at once.
 */
async function runAbortable(command: readonly string[], folder: string, signal: AbortSignal): Promise<number | null> {
  const running = runTool(command, signal);
  // An interruption may reject this before it is awaited.
  running.catch(() => undefined);
  if ((await Promise.race([running, sleep(10_000, 'hangs' as const, { ref: false })])) === 'hangs') {
    await end(daemonsOf(folder), 'SIGKILL', 5, signal);
  }
  return running;
}

async function runTool(command: readonly string[], signal: AbortSignal): Promise<number | null> {
  return (await runCommand(command, { environment: toolEnvironment(), signal })).exitCode;
}

/** The daemons of the volumes that still run. */
const daemonsOf = (folder: string) => (): ProcessIdentity[] => trackedProcessesIn(privateFolderIn(folder));

/** Sends a signal to processes, and waits until none of them runs, or the patience is used up. */
async function end(
  running: () => readonly ProcessIdentity[],
  how: NodeJS.Signals,
  patienceSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  for (const { pid } of running()) endGroup(pid, how);
  await waitUntil(() => running().length === 0, { seconds: patienceSeconds, everyMs: 20, signal });
}
