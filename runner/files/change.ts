import { lstatSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { kindOf } from './kind.ts';

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
