import { type BigIntStats, constants, existsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { hasCode, nameFile, UserError } from '../contract/errors.ts';
import { syncFolder } from './durable.ts';
import { kindOf, realPath, whyNoFolder } from './look.ts';
import { mayBeChangedByOthers, stepsTo, trustedUsers } from './owners.ts';

/**
 * Requires that nobody else can redirect a path. Every folder and link on the way to it, from the root, must belong to
 * this user, to root, to the user who called sudo, or to the owner of this program, who could change what we do anyway.
 * If users outside our groups may write to a folder, they must not be able to rename what is not theirs (the sticky
 * bit).
 *
 * @param folder path of a folder; parts that do not exist yet are skipped, since we will make them
 * @param remedy what to do, such as `choose another folder (--out)`
 * @throws {UserError} naming the first folder that someone else controls, or what is not a folder
 */
export function requireSafePath(folder: string, remedy: string): void {
  const trusted = trustedUsers();
  const refuse = (at: string, why: string): never => {
    throw new UserError(`${at} ${why}, who could redirect what is written to ${folder}. Remove it, or ${remedy}.`);
  };
  for (const { at, found } of stepsTo(folder)) {
    if (!trusted.has(found.uid)) refuse(at, `belongs to another user (id ${found.uid})`);
    if (found.isSymbolicLink()) continue;
    if (!found.isDirectory()) {
      const what =
        at === path.resolve(folder)
          ? `is ${kindOf(found)}, not a folder`
          : `goes through ${at}, which is ${kindOf(found)}`;
      throw new UserError(`${folder} ${what}. Correct the path, or ${remedy}.`);
    }
    if (mayBeChangedByOthers(found)) refuse(at, 'has no sticky bit and can be written by other users');
  }
}

/**
 * The temporary directory, without symbolic links.
 *
 * @throws {UserError} if there is no such folder, if someone else could change what is in it, or if its name has a line break, which no
 *   configuration file of PostgreSQL can contain
 */
export function temporaryFolder(): string {
  const named = tmpdir();
  if (/[\n\r]/.test(named)) {
    throw new UserError(
      `TMPDIR is ${JSON.stringify(named)}: PostgreSQL cannot be configured in a folder with a line break in its name. Set TMPDIR to another folder.`,
    );
  }
  const why = whyNoFolder(named);
  if (why !== null) throw new UserError(`TMPDIR is ${named}: ${why}. Set TMPDIR to a folder that you can write to.`);
  requireSafePath(named, 'set TMPDIR to another folder');
  return realPath(named);
}

/**
 * Whether a path may go through a descriptor, as Linux allows. Node cannot open a file relative to an open folder. Such
 * a path can, and then nobody can redirect it by changing the folder's path meanwhile.
 */
const hasDescriptorPaths = existsSync('/proc/self/fd/.');

/** A folder that was opened once. Work through `at` is done in this folder, whatever happens to its path meanwhile. */
export interface OpenFolder {
  /** Path for work in it. */
  at: string;
  /** Path for people. */
  path: string;
  /** Makes the names in it durable. */
  sync(): Promise<void>;
}

/** A folder with its identity, so that another folder that takes over its path is noticed. */
export interface KnownFolder {
  path: string;
  device: bigint;
  inode: bigint;
}

/** @throws the system's error if there is no such folder */
export function knowFolder(folder: string): KnownFolder {
  const { dev, ino } = statSync(folder, { bigint: true });
  return { path: folder, device: dev, inode: ino };
}

/** @throws {UserError} if its path now leads elsewhere, or nowhere */
export function requireSameFolder(known: KnownFolder): void {
  requireSame(known, statSync(known.path, { bigint: true, throwIfNoEntry: false }));
}

/**
 * Opens a folder, and the folders in it one by one, none of them by way of a symbolic link; works in it, and closes it.
 *
 * @param root a folder; a plain path may be a link, because it is up to the caller which folder it means
 * @param inside names of folders in it, each in the one before
 * @param options.make whether those that are missing are made
 * @throws {UserError} if one of those in it is a link or not a folder; if the path of a known root now leads elsewhere
 * @throws the system's error if there is no such folder
 */
export async function inFolder<T>(
  root: string | KnownFolder,
  inside: readonly string[],
  { make = false }: { make?: boolean },
  work: (folder: OpenFolder) => Promise<T>,
): Promise<T> {
  let named = typeof root === 'string' ? root : root.path;
  if (typeof root !== 'string') requireSameFolder(root);
  let handle = await open(named, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    // The path may have changed since the check above: this is the folder that we write to.
    if (typeof root !== 'string') requireSame(root, await handle.stat({ bigint: true }));
    for (const name of inside) {
      const below = path.join(pathBy(handle.fd, named), name);
      named = path.join(named, name);
      if (make && (await makeUnlessThere(below))) await syncFolder(handle);
      const next = await openNoLink(below, named);
      await handle.close();
      handle = next;
    }
    const last = handle;
    return await work({ at: pathBy(last.fd, named), path: named, sync: () => syncFolder(last) });
  } catch (error) {
    throw withName(error, pathBy(handle.fd, named), named);
  } finally {
    await handle.close();
  }
}

/**
 * Opens a file below a folder, without following any link below the folder, works with it, and closes it.
 *
 * @param root a folder
 * @param name of the file in it, such as `trials/001/trial.json`
 * @returns null if there is no such file
 * @throws {UserError} if something other than a file has this name; if the path of a known root now leads elsewhere
 */
export async function withFileIn<T>(
  root: string | KnownFolder,
  name: string,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T | null> {
  const [file = '', ...folders] = name.split('/').reverse();
  const named = path.join(typeof root === 'string' ? root : root.path, name);
  try {
    return await inFolder(root, folders.reverse(), {}, async (folder) => {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      const handle = await open(path.join(folder.at, file), flags);
      try {
        const found = await handle.stat();
        if (!found.isFile()) throw new UserError(`${named} is ${kindOf(found)}. Remove it.`);
        return await work(handle);
      } finally {
        await handle.close();
      }
    });
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    if (hasCode(error, 'ELOOP')) {
      throw new UserError(`${named} is a symbolic link, which pgduet does not follow. Remove it.`);
    }
    throw nameFile(error, named);
  }
}

function requireSame({ path: named, device, inode }: KnownFolder, found: BigIntStats | undefined): void {
  if (found?.dev === device && found.ino === inode) return;
  throw new UserError(
    `${named} is no longer the same folder: it was moved or removed in the meantime. Nothing was written to what is there now. Move the folder back to this path and start again; --resume continues a run.`,
  );
}

/** A path to what a descriptor has open: through the descriptor if the system can do that, otherwise the given path. */
function pathBy(descriptor: number, named: string): string {
  return hasDescriptorPaths ? `/proc/self/fd/${descriptor}` : named;
}

/** The system's error, with the path that people know. */
function withName(error: unknown, at: string, named: string): unknown {
  if (error instanceof Error && 'path' in error && typeof error.path === 'string') {
    const inside = path.relative(at, error.path);
    if (!inside.startsWith('..')) error.path = path.join(named, inside);
  }
  return error;
}

/** False if it is there already. */
async function makeUnlessThere(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
    return false;
  }
}

async function openNoLink(folder: string, named: string): Promise<FileHandle> {
  try {
    return await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch (error) {
    if (!hasCode(error, 'ENOTDIR', 'ELOOP')) throw error;
    throw new UserError(`${named} is not a folder, or it is a symbolic link, which pgduet does not follow. Remove it.`);
  }
}
