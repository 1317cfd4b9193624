import { existsSync, readdirSync, realpathSync, statfsSync, type Stats, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';

/** Whether there is anything at this path that can be reached. */
export const exists = (place: string): boolean => existsSync(place);

/** Links are followed, as with the two below. */
export function isFile(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
}

export function isFolder(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** In bytes. */
export function sizeOf(file: string): number {
  return statSync(file).size;
}

/** When a file was written to for the last time, in milliseconds since 1970. */
export function modifiedMsOf(file: string): number {
  return statSync(file).mtimeMs;
}

/** Bytes that this user may still write where a folder is. */
export function roomIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Changes with the file, at least as far as its system tells; `missing` if it is not there. */
export const stateOf = (file: string): string => stateBy(file, ['mtimeMs', 'ctimeMs']);

/** The same, but stays when a link to the file is made, or its permissions change, or a writer sets its time back. */
export const writtenStateOf = (file: string): string => stateBy(file, ['mtimeMs']);

function stateBy(file: string, times: readonly ('mtimeMs' | 'ctimeMs')[]): string {
  const found = statSync(file, { throwIfNoEntry: false });
  return found ? [found.dev, found.ino, found.size, ...times.map((time) => found[time])].join(' ') : 'missing';
}

/** Names of what is in a folder, in their order; none if there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (existsSync(folder)) throw error;
    return [];
  }
}

/** Names of the folders in a folder, in their order; links to folders are none. */
export function foldersIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => (entry.isDirectory() ? [entry.name] : []))
    .sort();
}

/**
 * What is in a folder and in the folders below it, but for these folders, by relative paths in no order; nothing if there is no
 * such folder. Links are not followed.
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

function whyUnreadable(folder: string, { code, path: found = folder, message }: NodeJS.ErrnoException): string {
  const shown = found.length > 200 ? `${found.slice(0, 200)}...` : found;
  if (code === 'ENAMETOOLONG') return `${shown} is nested too deep to be read. Remove it.`;
  if (code !== 'ENOENT') return `${shown} cannot be read: ${message.split(',')[0]}. Remove it, or make it readable.`;
  // Node puts this character in the place of what it cannot read, and then finds no such folder.
  if (found.includes('\ufffd')) return `${shown} has a name that is not in UTF-8. Rename it, or remove it.`;
  return `${folder} was changed while it was read. Try again when nothing writes there.`;
}

/** The path without links. @throws the system's error if there is nothing */
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
