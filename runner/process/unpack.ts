import { chmodSync, chownSync } from 'node:fs';
import { makeFolder } from '../files/write.ts';
import { readStream } from '../files/read.ts';
import { withClient } from './client.ts';
import { requireSuccess, runChecked } from './run-command.ts';
import { serverUser } from './rights.ts';

/** Whether the programs of an experiment run as another user than ours. */
export function isForAnother(): boolean {
  return serverUser().spawnAs.uid !== undefined;
}

/** Makes a folder, and the missing ones on the way to it, in which they find what we put there. */
export function makeFolderForClients(folder: string): void {
  for (const made of makeFolder(folder, 0o700)) if (isForAnother()) chmodSync(made, 0o755);
}

/** Makes a folder that belongs to them. */
export function makeFolderOfClients(folder: string): void {
  makeFolder(folder, 0o700);
  const { uid, gid } = serverUser();
  if (isForAnother()) chownSync(folder, uid, gid);
}

/**
 * Unpacks a program of the experiment from a .tar.gz into a new folder. As root, tar would make what only root may make,
 * such as a device, or a program that everybody runs as root. What another user has unpacked becomes ours, so that no
 * later run finds it changed.
 *
 * @throws {CommandError} if it is not such an archive
 */
export async function unpackForClients(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  makeFolderOfClients(folder);
  const command = ['tar', '--extract', '--gzip', '--no-same-owner', '--same-permissions'];
  await withClient({ signal }, async ({ run }) => {
    requireSuccess(command, await run(command, { cwd: folder, input: readStream(archive), signal }));
  });
  await takeFromClients(folder, signal);
}

/** A folder of ours, with everything in it, becomes theirs. */
export async function giveToClients(folder: string, signal: AbortSignal): Promise<void> {
  const { uid, gid } = serverUser();
  if (isForAnother()) await runChecked(['chown', '-R', '-h', `${uid}:${gid}`, folder], { signal });
}

/** What programs of the experiment have put into a folder becomes ours, and stays readable for them. */
export async function takeFromClients(folder: string, signal: AbortSignal): Promise<void> {
  if (!isForAnother()) return;
  await runChecked(['chown', '-R', '-h', '0:0', folder], { signal });
  await runChecked(['chmod', '-R', 'u+rwX,go+rX,go-w,a-st', folder], { signal });
}
