import { constants, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, UserError } from '../contract/errors.ts';

/**
 * Whether a path may go by a descriptor, as Linux allows. Node cannot open a file relative to an open folder; this can, and
 * then nobody can lead it elsewhere by changing the path in the meantime.
 */
const hasDescriptorPaths = existsSync('/proc/self/fd/.');

/** A folder that was opened once. What is done by `at` is done in it, whatever becomes of its path meanwhile. */
export interface OpenFolder {
  /** Path for work in it. */
  at: string;
  /** Path for people. */
  path: string;
}

/**
 * Opens a folder, and the folders in it one by one, none of them by way of a symbolic link; works in it, and closes it.
 *
 * @param root path of a folder; that it is what is meant is the matter of who named it, so it may be a link
 * @param inside names of folders in it, each in the one before
 * @param options.make whether those that are missing are made
 * @throws {UserError} if one of those in it is a link, or no folder
 * @throws the system's error if there is no such folder
 */
export async function inFolder<T>(
  root: string,
  inside: readonly string[],
  { make = false }: { make?: boolean },
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  let named = root;
  let handle = await open(root, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    for (const name of inside) {
      const below = path.join(pathBy(handle.fd, named), name);
      named = path.join(named, name);
      if (make) await makeUnlessThere(below);
      const next = await openNoLink(below, named);
      await handle.close();
      handle = next;
    }
    return await work({ at: pathBy(handle.fd, named), path: named });
  } finally {
    await handle.close();
  }
}

/** A path to what a descriptor is open for: by the descriptor where the system can, otherwise as it was named. */
function pathBy(descriptor: number, named: string): string {
  return hasDescriptorPaths ? `/proc/self/fd/${descriptor}` : named;
}

async function makeUnlessThere(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

async function openNoLink(folder: string, named: string): Promise<FileHandle> {
  try {
    return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (!hasCode(error, 'ENOTDIR', 'ELOOP')) throw error;
    throw new UserError(`${named} is no folder, or a symbolic link to one, which is not followed. Remove it.`);
  }
}
