import { writeFileSync } from 'node:fs';
import { demandCommand } from '../../../process/run-command.ts';
import { type Daemon, type DaemonFiles, startDaemon, waitForDaemon } from './daemon.ts';
import { mountsIn } from './mounts.ts';
import { toolEnvironment } from './programs.ts';

/** Makes the device that is served at an NBD socket appear as the file `file`. */
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

/** Puts a new ext4 file system on the file, by a loop device, and mounts it at `mountPoint`. Returns the loop device. */
export async function mountAsFileSystem(file: string, mountPoint: string, signal: AbortSignal): Promise<string> {
  const run = async (...command: string[]): Promise<string> =>
    (await demandCommand(command, { signal, environment: toolEnvironment() })).stdout.trim();
  // With direct I/O: otherwise the page cache of the file would hide I/O from the throttle.
  const device = await run('losetup', '--show', '--direct-io=on', '--find', file);
  // Writes all of the journal and of the inode tables now: ext4 would otherwise write them in the background during the
  // trials. The image is new, so there is nothing to discard, and root needs no reserved blocks.
  const options = 'lazy_itable_init=0,lazy_journal_init=0,nodiscard';
  await run('mkfs.ext4', '-q', '-F', '-m', '0', '-E', options, device);
  await run('mount', '-t', 'ext4', '-o', 'noatime,nosuid,nodev', device, mountPoint);
  return device;
}
