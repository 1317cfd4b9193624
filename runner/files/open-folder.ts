import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { pathBy } from './descriptor-paths.ts';

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

/** Whether this is the system's error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
