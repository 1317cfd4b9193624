import { randomBytes } from 'node:crypto';
import { constants, lstatSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, nameFile, UserError } from '../contract/errors.ts';
import { kindOf } from './look.ts';
import { inFolder, type KnownFolder } from './open-folder.ts';

/** Who else may read what is written: `everybody` as far as the umask allows, as with results that are handed on. */
export type Readers = 'everybody' | 'owner';

/**
 * Writes a file completely or not at all: under a name that nobody can foresee, and then in the place of what has its name.
 * No symbolic link below `root` is followed, and nothing of what was there (owner, permissions, other names of it) is kept.
 *
 * @param root the folder that is written to
 * @param name of the file in it, such as `trials/001/trial.json`; folders that are missing are made
 * @throws {UserError} if something else than a file has this name, or leads there; if the path of a known root leads elsewhere
 *   by now
 * @throws the system's error, with the file's name
 */
export async function writeFileIn(
  root: string | KnownFolder,
  name: string,
  data: string | Uint8Array,
  { readers = 'everybody' }: { readers?: Readers } = {},
): Promise<void> {
  const [file = '', ...folders] = name.split(path.sep).reverse();
  if (file === '' || file === '..' || folders.includes('..')) throw new Error(`${name} leads out of its folder`);
  await inFolder(root, folders.reverse(), { make: true }, async (folder) => {
    const named = path.join(folder.path, file);
    try {
      await requireReplaceable(path.join(folder.at, file), named);
      await writeAndRename({ folder: folder.at, file }, data, readers === 'owner' ? 0o600 : 0o666);
    } catch (error) {
      throw error instanceof UserError ? error : nameFile(error, named);
    }
  });
}

async function writeAndRename(
  { folder, file }: { folder: string; file: string },
  data: string | Uint8Array,
  mode: number,
): Promise<void> {
  const making = path.join(folder, `.${randomBytes(9).toString('base64url')}.writing`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(making, flags, mode);
  try {
    try {
      await handle.writeFile(data);
      // Otherwise a crash of the machine may leave the new name with nothing in it.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(making, path.join(folder, file));
  } catch (error) {
    await rm(making, { force: true });
    throw error;
  }
}

/** @throws {UserError} if something lies there that is no file: somebody has put it there, and we do not know what for */
async function requireReplaceable(file: string, named: string): Promise<void> {
  try {
    const found = await lstat(file);
    if (!found.isFile()) throw new UserError(`${named} is ${kindOf(found)}, and is not written to. Remove it.`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/**
 * Makes a folder, and those on the way to it that are missing.
 *
 * @param mode for the folder, as far as the umask allows
 * @returns the folders that were missing and are there now, innermost first
 */
export function makeFolder(folder: string, mode = 0o777): string[] {
  const outermost = mkdirSync(folder, { recursive: true, mode });
  if (outermost === undefined) return [];
  const inside = path
    .relative(outermost, folder)
    .split(path.sep)
    .filter((name) => name !== '');
  return inside.reduce((made, name) => [path.join(made[0] ?? outermost, name), ...made], [outermost]);
}

/**
 * Makes a folder in another one, and those between them that are missing.
 *
 * @param name of the folder in `root`, such as `trials/001`
 * @returns its path
 * @throws {UserError} if something on the way below `root` is a symbolic link, or no folder
 */
export function makeFolderIn(root: string, name: string): string {
  let folder = root;
  for (const part of name.split(path.sep)) {
    folder = path.join(folder, part);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found) mkdirSync(folder);
    else if (!found.isDirectory()) throw new UserError(`${folder} is ${kindOf(found)}, not a folder. Remove it.`);
  }
  return folder;
}

/** Makes a folder that only we can enter, with a name that nobody can foresee. @returns its path */
export const makeUniqueFolder = (beginning: string): string => mkdtempSync(beginning);

/** Removes a file, if there is one. @throws the system's error if it is a folder */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/** Removes a file, or a folder with all that is in it, if there is one. A link is removed, and not what it leads to. */
export function removeTree(place: string): void {
  rmSync(place, { recursive: true, force: true });
}

export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // There is something in it.
  }
}

/** Gives a file or a folder another name, in place of what has it. */
export const move = (from: string, to: string): void => renameSync(from, to);

/** Lets a name lead to something, in place of what had it: at no moment is there nothing. */
export function pointTo(target: string, link: string): void {
  const next = `${link}.next`;
  rmSync(next, { force: true });
  symlinkSync(target, next);
  renameSync(next, link);
}
