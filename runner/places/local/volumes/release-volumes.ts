import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../../process/run-command.ts';
import { loopDevicesIn, mountsIn } from './mounts.ts';
import { toolEnvironment } from './programs.ts';
import { monitorArgument, setLimits } from './storage-daemon.ts';
import { noLimits } from './throttle.ts';

/**
 * Removes the limited volumes below a run's folder, whoever made them: unmounts and detaches them, and ends their daemons.
 * It touches only what lies in that folder or names it on its command line. It may be called again, and also if there is
 * nothing. The servers on the volumes must be stopped; the files stay.
 */
export async function releaseVolumes(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  await liftLimits(folder);
  const isFuse = (fileSystem: string): boolean => fileSystem.startsWith('fuse');
  for (const mount of mountsIn(folder)) if (!isFuse(mount.fileSystem)) await unmount(mount.path, folder);
  for (const device of loopDevicesIn(folder)) await runTool('losetup', '--detach', device);
  for (const mount of mountsIn(folder)) await unmount(mount.path, folder);
  await endDaemons(`${folder}/`, 'SIGTERM', 2);
  await endDaemons(`${folder}/`, 'SIGKILL', 5);
}

/**
 * Removes the limits. Unmounting writes what is still unwritten: at a few hundred I/Os a second that would take minutes. A
 * daemon that does not answer is ended: with it every write fails at once, and without an end it would hold up all that follows.
 */
async function liftLimits(folder: string): Promise<void> {
  // Never walk the folder: to read a volume whose daemon hangs would make us hang, too.
  const folders = [...new Set(mountsIn(folder).map((mount) => path.dirname(mount.path)))];
  const sockets = folders.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.endsWith('.qmp'))
      .map((name) => path.join(parent, name)),
  );
  await Promise.all(
    sockets.map((socket) => setLimits(socket, noLimits).catch(() => endDaemons(monitorArgument(socket), 'SIGKILL', 5))),
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
      await endDaemons(`${folder}/`, 'SIGKILL', 5);
    }
    if ((await unmounting) === 0 || !mountsIn(folder).some((mount) => mount.path === mountPoint)) return;
    await sleep(200);
  }
  await runTool('umount', '--lazy', mountPoint);
}

async function runTool(...command: string[]): Promise<number | null> {
  return (await runCommand(command, { environment: toolEnvironment() })).exitCode;
}

/** @param named what their command lines hold */
async function endDaemons(named: string, signal: NodeJS.Signals, patienceSeconds: number): Promise<void> {
  for (const pid of daemonsOf(named)) {
    try {
      process.kill(pid, signal);
    } catch {
      // The process ended by itself in the meantime.
    }
  }
  const end = Date.now() + patienceSeconds * 1000;
  while (daemonsOf(named).length > 0 && Date.now() < end) await sleep(20);
}

const daemonPrograms = ['qemu-storage-daemon', 'nbdfuse'];

/**
 * Process ids of daemons, recognised by their program and by what their command line holds. An id that was
 * stored may belong to another process by now.
 */
function daemonsOf(named: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const program = path.basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
        return daemonPrograms.includes(program) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(named);
      } catch {
        // The process ended in the meantime, or we may not look at it.
        return false;
      }
    })
    .map(Number);
}
