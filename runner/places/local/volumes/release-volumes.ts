import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessIdentity } from '../../../process/identity.ts';
import { notedBy, notedIn } from '../../../process/noted.ts';
import { endGroup, runCommand } from '../../../process/run-command.ts';
import { loopDevicesIn, mountsIn } from './mounts.ts';
import { monitorsIn, privateFolderIn } from './private-folder.ts';
import { toolEnvironment } from './programs.ts';
import { setLimits } from './storage-daemon.ts';
import { noLimits } from './throttle.ts';

/**
 * Removes the limited volumes below a folder of volumes, whoever made them: unmounts and detaches them, and ends their daemons.
 * It touches only what lies in that folder, and the processes that were noted there. It may be called again, and also if there
 * is nothing. The servers on the volumes must be stopped; the files stay.
 */
export async function releaseVolumes(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  await liftLimits(folder);
  const isFuse = (fileSystem: string): boolean => fileSystem.startsWith('fuse');
  for (const mount of mountsIn(folder)) if (!isFuse(mount.fileSystem)) await unmount(mount.path, folder);
  for (const device of loopDevicesIn(folder)) await runTool('losetup', '--detach', device);
  for (const mount of mountsIn(folder)) await unmount(mount.path, folder);
  await end(daemonsOf(folder), 'SIGTERM', 2);
  await end(daemonsOf(folder), 'SIGKILL', 5);
}

/**
 * Removes the limits. Unmounting writes what is still unwritten: at a few hundred I/Os a second that would take minutes. A
 * daemon that does not answer is ended: with it every write fails at once, and without an end it would hold up all that follows.
 */
async function liftLimits(folder: string): Promise<void> {
  await Promise.all(
    monitorsIn(folder).map(({ qmpSocket, qmpNote }) =>
      setLimits(qmpSocket, noLimits).catch(() => end(() => [notedBy(qmpNote) ?? []].flat(), 'SIGKILL', 5)),
    ),
  );
}

/**
 * Unmounts: waits if a process that is about to end still uses the mount, uses force if a daemon hangs, and as the last
 * resort unmounts lazily.
 */
async function unmount(mountPoint: string, folder: string): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const unmounting = runTool('umount', mountPoint);
    if ((await Promise.race([unmounting, sleep(10_000, 'stuck' as const, { ref: false })])) === 'stuck') {
      // Without its daemon every write fails at once, and unmounting can finish.
      await end(daemonsOf(folder), 'SIGKILL', 5);
    }
    if ((await unmounting) === 0 || !mountsIn(folder).some((mount) => mount.path === mountPoint)) return;
    await sleep(200);
  }
  await runTool('umount', '--lazy', mountPoint);
}

async function runTool(...command: string[]): Promise<number | null> {
  return (await runCommand(command, { environment: toolEnvironment() })).exitCode;
}

/** The daemons of the volumes that still run. */
const daemonsOf = (folder: string) => (): ProcessIdentity[] => notedIn(privateFolderIn(folder));

/** Signals processes, and waits until none of them runs. */
async function end(
  running: () => readonly ProcessIdentity[],
  signal: NodeJS.Signals,
  patienceSeconds: number,
): Promise<void> {
  for (const { pid } of running()) endGroup(pid, signal);
  const until = Date.now() + patienceSeconds * 1000;
  while (running().length > 0 && Date.now() < until) await sleep(20);
}
