import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../../../process/run-command.ts';
import { loopDevicesIn, mountsIn } from './mounts.ts';
import { toolEnvironment } from './programs.ts';
import { setLimits } from './storage-daemon.ts';
import { noLimits } from './throttle.ts';

/**
 * Takes away the limited volumes below a run's folder, whoever made them: unmounts, detaches, and ends their daemons. Only
 * what lies in that folder, or names it on its command line, is touched. Safe to call again, and where there is nothing.
 * The servers on the volumes must be stopped; the files stay.
 */
export async function releaseVolumes(folder: string): Promise<void> {
  if (process.platform !== 'linux') return;
  await liftLimits(folder);
  const isFuse = (fileSystem: string): boolean => fileSystem.startsWith('fuse');
  for (const mount of mountsIn(folder)) if (!isFuse(mount.fileSystem)) await unmount(mount.path, folder);
  for (const device of loopDevicesIn(folder)) await runTool('losetup', '--detach', device);
  for (const mount of mountsIn(folder)) await unmount(mount.path, folder);
  await endDaemons(folder, 'SIGTERM', 2);
  await endDaemons(folder, 'SIGKILL', 5);
}

/** What is still to be written is written when unmounting: at a few hundred I/Os a second that would take minutes. */
async function liftLimits(folder: string): Promise<void> {
  // Never by walking the folder: reading a volume whose daemon hangs would hang us too.
  const folders = [...new Set(mountsIn(folder).map((mount) => path.dirname(mount.path)))];
  const sockets = folders.flatMap((parent) =>
    readdirSync(parent)
      .filter((name) => name.endsWith('.qmp'))
      .map((name) => path.join(parent, name)),
  );
  await Promise.allSettled(sockets.map((socket) => setLimits(socket, noLimits)));
}

/** Patiently where something that is about to end still uses it, by force where a daemon hangs, lazily as the last resort. */
async function unmount(mountPoint: string, folder: string): Promise<void> {
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    const unmounting = runTool('umount', mountPoint);
    if ((await Promise.race([unmounting, sleep(10_000, 'stuck' as const, { ref: false })])) === 'stuck') {
      // Without its daemon every write fails at once, and the unmounting comes to its end.
      await endDaemons(folder, 'SIGKILL', 5);
    }
    if ((await unmounting) === 0 || !mountsIn(folder).some((mount) => mount.path === mountPoint)) return;
    await sleep(200);
  }
  await runTool('umount', '--lazy', mountPoint);
}

async function runTool(...command: string[]): Promise<number | null> {
  return (await runCommand(command, { environment: toolEnvironment() })).exitCode;
}

async function endDaemons(folder: string, signal: NodeJS.Signals, patienceSeconds: number): Promise<void> {
  for (const pid of daemonsIn(folder)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself in the meantime.
    }
  }
  const end = Date.now() + patienceSeconds * 1000;
  while (daemonsIn(folder).length > 0 && Date.now() < end) await sleep(20);
}

const daemonPrograms = ['qemu-storage-daemon', 'nbdfuse'];

/** Known by their program and a path in the folder on their command line: a process id alone may be another's by now. */
function daemonsIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const program = path.basename(readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/, ''));
        return daemonPrograms.includes(program) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${folder}/`);
      } catch {
        // It ended while we looked, or it is not ours to look at.
        return false;
      }
    })
    .map(Number);
}
