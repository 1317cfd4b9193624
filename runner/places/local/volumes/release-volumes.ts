import { setTimeout as sleep } from 'node:timers/promises';
import { PartError } from '../../../contract/errors.ts';
import { ownCommand } from '../../../contract/own-command.ts';
import { notedBy, notedIn, type ProcessIdentity } from '../../../process/noted.ts';
import { endGroup, runCommand } from '../../../process/run-command.ts';
import { describeProcess, ofServersUser, processesUsing } from '../processes.ts';
import { loopDevicesIn, type Mount, mountsIn, unlessHung } from './mounts.ts';
import { monitorsIn, privateFolderIn } from './daemon.ts';
import { toolEnvironment } from './programs.ts';
import { noLimits, setLimits } from './storage-daemon.ts';

/**
 * Removes all limited volumes below a folder of volumes: unmounts and detaches them, and ends their daemons. It touches
 * only what is in that folder, and the processes that were noted there. It may be called again, even if nothing is
 * left. The servers on the volumes must be stopped. The files stay.
 *
 * @throws {PartError} if something still uses a volume. Its daemons then continue, so that a later call can remove
 * everything
 */
export async function releaseVolumes(folder: string, signal = new AbortController().signal): Promise<void> {
  if (process.platform !== 'linux') return;
  await liftLimits(folder, signal);
  const fileSystems = (): Mount[] => mountsIn(folder).filter(({ fileSystem }) => !fileSystem.startsWith('fuse'));
  for (const mount of fileSystems()) await unmount(mount.path, folder, signal);
  if (fileSystems().length > 0 && ofServersUser(folder).length > 0) {
    // A server that was killed but has not ended waits for a volume that hangs.
    await end(daemonsOf(folder), 'SIGKILL', 5, signal);
    for (const mount of fileSystems()) await unmount(mount.path, folder, signal);
  }
  for (const device of loopDevicesIn(folder)) await runTool(['losetup', '--detach', device], signal);
  const areLetGo = (): boolean => fileSystems().length === 0 && loopDevicesIn(folder).length === 0;
  if (fileSystems().length === 0) await waitUntil(areLetGo, letGoSeconds, signal);
  if (!areLetGo() && usersOf(folder).length === 0) {
    // No process uses the folder, but a device is still held, for example by a program that was making its file system.
    // That program waits for a daemon that hangs.
    await end(daemonsOf(folder), 'SIGKILL', 5, signal);
    await waitUntil(areLetGo, letGoSeconds, signal);
  }
  if (!areLetGo()) throw stillInUse(folder);
  for (const mount of mountsIn(folder)) await unmount(mount.path, folder, signal);
  if (mountsIn(folder).length > 0) throw stillInUse(folder);
  await end(daemonsOf(folder), 'SIGTERM', 2, signal);
  await end(daemonsOf(folder), 'SIGKILL', 5, signal);
}

/**
 * How long a process that is about to end may still hold a file system or a device. Such processes are:
 *
 * - a writer of the volume check whose runner was killed, which writes its file to the end;
 * - a system program that looks at each device;
 * - a program that started in its own mount namespace, with everything that was mounted at that moment.
 */
const letGoSeconds = 10;

function usersOf(folder: string): ProcessIdentity[] {
  const daemons = daemonsOf(folder)().map(({ pid }) => pid);
  return processesUsing(folder).filter(({ pid }) => !daemons.includes(pid));
}

function stillInUse(folder: string): PartError {
  const by = usersOf(folder)
    .map((user) => ` by process ${describeProcess(user)}`)
    .join(' and');
  return new PartError(`The volumes in ${folder} are still in use${by}. End what uses them, then: ${ownCommand} clean`);
}

/**
 * Removes the limits. Unmounting writes out all dirty pages, which would take minutes at a few hundred I/Os a second.
 * If a daemon does not answer, this ends it: every write then fails at once. Otherwise it would hold up everything that
 * follows.
 */
async function liftLimits(folder: string, signal: AbortSignal): Promise<void> {
  await Promise.all(
    monitorsIn(folder).map(({ qmpSocket, qmpNote }) =>
      unlessHung(setLimits(qmpSocket, noLimits), signal).catch(() => {
        signal.throwIfAborted();
        return end(() => [notedBy(qmpNote) ?? []].flat(), 'SIGKILL', 5, signal);
      }),
    ),
  );
}

/**
 * Unmounts. It waits if a process that is about to end still uses the mount. If unmounting itself waits for a daemon
 * that hangs, it ends the daemons: every write then fails at once.
 */
async function unmount(mountPoint: string, folder: string, signal: AbortSignal): Promise<void> {
  const until = Date.now() + letGoSeconds * 1000;
  do {
    const unmounting = runTool(['umount', mountPoint], signal);
    // An interruption may reject this before it is awaited.
    unmounting.catch(() => undefined);
    if ((await Promise.race([unmounting, sleep(10_000, 'stuck' as const, { ref: false })])) === 'stuck') {
      await end(daemonsOf(folder), 'SIGKILL', 5, signal);
    }
    if ((await unmounting) === 0 || !mountsIn(folder).some((mount) => mount.path === mountPoint)) return;
    await sleep(200, undefined, { signal });
  } while (Date.now() < until);
}

async function runTool(command: readonly string[], signal: AbortSignal): Promise<number | null> {
  return (await runCommand(command, { environment: toolEnvironment(), signal })).exitCode;
}

/** The daemons of the volumes that still run. */
const daemonsOf = (folder: string) => (): ProcessIdentity[] => notedIn(privateFolderIn(folder));

/** Sends a signal to processes, and waits until none of them runs, or the patience is used up. */
async function end(
  running: () => readonly ProcessIdentity[],
  how: NodeJS.Signals,
  patienceSeconds: number,
  signal: AbortSignal,
): Promise<void> {
  for (const { pid } of running()) endGroup(pid, how);
  await waitUntil(() => running().length === 0, patienceSeconds, signal);
}

async function waitUntil(done: () => boolean, patienceSeconds: number, signal: AbortSignal): Promise<void> {
  const until = Date.now() + patienceSeconds * 1000;
  while (!done() && Date.now() < until) await sleep(20, undefined, { signal });
}
