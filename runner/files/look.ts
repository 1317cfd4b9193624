import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  realpathSync,
  statfsSync,
  type Stats,
  statSync,
} from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError, whyFailed } from '../contract/errors.ts';

/** Whether there is anything at this path that can be reached. */
export const exists = (place: string): boolean => existsSync(place);

/** Links are followed, as in the two below. */
export function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether this is a link itself, wherever it leads. */
export function isLink(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Why there is no folder at this path that this user can read, in words that follow a colon; null if there is one. */
export function whyNoFolder(place: string): string | null {
  try {
    const found = statSync(place);
    if (!found.isDirectory()) return `it is ${kindOf(found)}`;
    accessSync(place, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    return whyFailed(error);
  }
}

/** In bytes. */
export function sizeOf(file: string): number {
  return statSync(file).size;
}

/** When a file was written to for the last time, in milliseconds since 1970. */
export function modifiedMsOf(file: string): number {
  return statSync(file).mtimeMs;
}

/** Bytes that this user may still write to the disk of a folder. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** TMPFS_MAGIC and RAMFS_MAGIC of include/uapi/linux/magic.h. */
const inMemory = [0x01021994, 0x858458f6];

/** Whether the files of a folder are in memory. */
export function isInMemory(folder: string): boolean {
  return inMemory.includes(statfsSync(folder).type);
}

/** A text that changes with the file, as far as the file system shows; `missing` if there is no file. */
export const stateOf = (file: string): string => stateBy(file, ['mtimeMs', 'ctimeMs']);

/** The same, but it stays if a link to the file is made, or its permissions change, or a writer sets its time back. */
export const writtenStateOf = (file: string): string => stateBy(file, ['mtimeMs']);

function stateBy(file: string, times: readonly ('mtimeMs' | 'ctimeMs')[]): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? [found.dev, found.ino, found.size, ...times.map((time) => found[time])].join(' ') : 'missing';
}

/** Names of everything in a folder, sorted; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (existsSync(folder)) throw error;
    return [];
  }
}

/** Names of the folders in a folder, sorted; links to folders do not count. */
export function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort();
}

/**
 * Everything in a folder and the folders below it, except these folders themselves, by relative paths in no order;
 * nothing if there is no such folder. Links are not followed.
 *
 * @returns whether each is a file, and not a link or a pipe
 * @throws {UserError} if folders vanish while they are read, or one of them cannot be read
 */
export async function entriesBelow(folder: string): Promise<{ name: string; isFile: boolean }[]> {
  if (!existsSync(folder)) return [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new UserError(whyUnreadable(folder, error as NodeJS.ErrnoException), { cause: error });
  });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => ({
      name: path.relative(folder, path.join(entry.parentPath, entry.name)),
      isFile: entry.isFile(),
    }));
}

function whyUnreadable(folder: string, error: NodeJS.ErrnoException): string {
  const { code, path: found = folder } = error;
  const shown = found.length > 200 ? `${found.slice(0, 200)}...` : found;
  if (code === 'ENAMETOOLONG') return `${shown} is nested too deeply to be read. Remove it.`;
  if (code !== 'ENOENT') return `${shown} cannot be read: ${whyFailed(error)}. Remove it, or make it readable.`;
  // Node replaces what it cannot decode by this character, and then finds no such folder.
  if (found.includes('\ufffd')) return `${shown} has a name that is not in UTF-8. Rename it, or remove it.`;
  return `${folder} changed while pgduet was reading it. Retry when nothing else writes to it.`;
}

/** The path without links. @throws the system's error if there is nothing at this path */
export const realPath = (place: string): string => realpathSync(place);

/** What something in a folder is, in words such as `a symbolic link`. */
export function kindOf(found: Stats): string {
  if (found.isFile()) return 'a file';
  if (found.isDirectory()) return 'a folder';
  if (found.isSymbolicLink()) return 'a symbolic link';
  if (found.isFIFO()) return 'a pipe';
  if (found.isSocket()) return 'a socket';
  return 'a device';
}
