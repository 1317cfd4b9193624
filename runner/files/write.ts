import { randomBytes } from 'node:crypto';
import { constants, lstatSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync } from 'node:fs';
import { lstat, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, nameFile, UserError } from '../contract/errors.ts';
import { syncFolderAt } from './durable.ts';
import { entriesBelow, isFolder, kindOf } from './look.ts';
import { inFolder, type KnownFolder, type OpenFolder, requireSafePath } from './open-folder.ts';

/** Who else may read what is written: `everybody` as far as the umask allows, such as results, which people pass on. */
export type Readers = 'everyone' | 'owner';

/**
 * Writes a file completely or not at all: first under an unpredictable name, which is then changed to the real one. When
 * this returns, no power cut takes the file away, nor the folders on its way that were made. Follows no symbolic link below `root`, and keeps nothing of an old file of this name (owner, permissions, other
 * names).
 *
 * @param root the folder that is written to
 * @param name of the file in it, such as `trials/001/trial.json`; folders that are missing are made
 * @throws {UserError} if something other than a file has this name, or if a folder on the way to it is not a folder; if
 *   the path of a known root now leads elsewhere
 * @throws the system's error, with the file's name
 */
export async function writeFileIn(
  root: string | KnownFolder,
  name: string,
  data: string | Uint8Array,
  { readers = 'everyone' }: { readers?: Readers } = {},
): Promise<void> {
  const [file = '', ...folders] = name.split(path.sep).reverse();
  if (file === '' || file === '..' || folders.includes('..')) throw new Error(`${name} leads out of its folder`);
  await inFolder(root, folders.reverse(), { make: true }, async (folder) => {
    const named = path.join(folder.path, file);
    try {
      await requireReplaceable(path.join(folder.at, file), named);
      await writeAndRename(folder, file, data, readers === 'owner' ? 0o600 : 0o666);
    } catch (error) {
      throw error instanceof UserError ? error : nameFile(withoutPath(error), named);
    }
  });
}

/** The system names the file of the unpredictable name, in the open folder. Neither says anything to people. */
function withoutPath(error: unknown): unknown {
  if (error instanceof Error && 'path' in error) delete error.path;
  return error;
}

async function writeAndRename(
  folder: OpenFolder,
  file: string,
  data: string | Uint8Array,
  mode: number,
): Promise<void> {
  const making = path.join(folder.at, unfinishedName());
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
    await rename(making, path.join(folder.at, file));
    await folder.sync();
  } catch (error) {
    await rm(making, { force: true });
    throw error;
  }
}

/**
 * Removes files of a folder that is written to. Follows no symbolic link below `root`; if the folder is not there, there is
 * nothing to remove.
 *
 * @param folder in `root`, such as `charts`; `.` is the root itself
 * @param which whether the file of this name is removed
 * @throws {UserError} if the folder is not a folder; if the path of a known root now leads elsewhere
 */
export async function removeFilesIn(
  root: string | KnownFolder,
  folder: string,
  which: (file: string) => boolean,
): Promise<void> {
  try {
    const inside = folder.split(path.sep).filter((name) => name !== '.');
    await inFolder(root, inside, {}, async ({ at }) => {
      for (const file of (await readdir(at)).filter(which)) await unlink(path.join(at, file));
    });
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** The unpredictable name of a file until it is whole. */
const unfinishedName = (): string => `.${randomBytes(9).toString('base64url')}.writing`;
const unfinished = /^\.[\w-]{12}\.writing$/;

/**
 * Removes what `writeFileIn` left half written in a folder and below it, where a power cut or a kill came in between.
 * Nothing else may be writing there.
 *
 * @throws {UserError} as `entriesBelow` and `removeFilesIn` do
 */
export async function removeUnfinished(root: KnownFolder): Promise<void> {
  const left = (await entriesBelow(root.path)).filter(({ name }) => unfinished.test(path.basename(name)));
  const folders = new Set(left.map(({ name }) => path.dirname(name)));
  for (const folder of folders) await removeFilesIn(root, folder, (file) => unfinished.test(file));
}

/** @throws {UserError} if something there is not a file: someone has put it there, and we do not know why */
async function requireReplaceable(file: string, named: string): Promise<void> {
  try {
    const found = await lstat(file);
    if (!found.isFile())
      throw new UserError(`${named} is ${kindOf(found)}, so pgduet does not write to it. Remove it.`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/**
 * Makes a folder, and the missing ones on the way to it: all of them, or none. No power cut takes them away afterwards. It
 * makes them one by one: where none can be made, as in /proc, Node's own recursion never ends.
 *
 * @param mode for the folders, as far as the umask allows
 * @returns the folders that were missing and are there now, innermost first
 * @throws {UserError} if something there is not a folder, or nothing can be made there
 * @throws the system's error
 */
export function makeFolder(folder: string, mode = 0o777): string[] {
  const missing: string[] = [];
  for (let at = path.resolve(folder); !isFolder(at); at = path.dirname(at)) missing.push(at);
  const made: string[] = [];
  try {
    for (const one of missing.toReversed()) if (makeOne(one, mode)) made.unshift(one);
  } catch (error) {
    for (const one of made) removeIfEmpty(one);
    throw error;
  }
  return made;
}

/**
 * The same where nobody else can redirect what is written into the folder, also if another user has made it, or a part of
 * the way, meanwhile.
 *
 * @param remedy see `requireSafePath`
 * @returns the folders that were missing and are there now, innermost first
 * @throws {UserError} as `requireSafePath` and `makeFolder` do
 */
export function makeSafeFolder(folder: string, remedy: string): string[] {
  requireSafePath(folder, remedy);
  const made = makeFolder(folder);
  try {
    requireSafePath(folder, remedy);
  } catch (error) {
    for (const one of made) removeIfEmpty(one);
    throw error;
  }
  return made;
}

/** False if another process has made it meanwhile. */
function makeOne(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (hasCode(error, 'EEXIST') && isFolder(folder)) return false;
    if (hasCode(error, 'EEXIST')) {
      throw new UserError(
        `${folder} is ${kindOf(lstatSync(folder))}, not a folder. Remove it, or choose another folder.`,
      );
    }
    // All folders above it exist.
    if (hasCode(error, 'ENOENT')) throw new UserError(`Could not create ${folder}. Choose another folder.`);
    throw error;
  }
  syncFolderAt(path.dirname(folder));
  return true;
}

/**
 * Makes a folder in another one, and the missing ones between them. No power cut takes them away afterwards.
 *
 * @param name of the folder in `root`, such as `trials/001`
 * @returns its path
 * @throws {UserError} if something on the way below `root` is a symbolic link, or not a folder
 */
export function makeFolderIn(root: string, name: string): string {
  let folder = root;
  for (const part of name.split(path.sep)) {
    const parent = folder;
    folder = path.join(parent, part);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (!found) {
      mkdirSync(folder);
      syncFolderAt(parent);
    } else if (!found.isDirectory()) throw new UserError(`${folder} is ${kindOf(found)}, not a folder. Remove it.`);
  }
  return folder;
}

/** Makes a folder that only we can enter, with an unpredictable name. @returns its path */
export const makeUniqueFolder = (beginning: string): string => mkdtempSync(beginning);

/** Removes a file, if there is one. @throws the system's error if it is a folder */
export function removeFile(file: string): void {
  rmSync(file, { force: true });
}

/**
 * Removes a file, or a folder with everything in it, if there is one. Removes a link itself, and not what it leads to.
 */
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

/** Renames a file or a folder, and replaces whatever has the new name. */
export const move = (from: string, to: string): void => renameSync(from, to);

/** Makes a symbolic link, and replaces whatever had its name. At no moment, and after no power cut, is the name gone. */
export function pointTo(target: string, link: string): void {
  const next = `${link}.next`;
  rmSync(next, { force: true });
  symlinkSync(target, next);
  renameSync(next, link);
  syncFolderAt(path.dirname(link));
}
