import { type BigIntStats, constants, existsSync, lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { hasCode, UserError } from '../contract/errors.ts';

const othersMayWrite = 0o002;
const groupMayWrite = 0o020;
const sticky = 0o1000;
/** As many links as Linux follows in one path. */
const mostLinks = 40;

/**
 * Demands that nobody else can lead a path elsewhere: every folder and link on the way to it, from the root, belongs to this
 * user, to root, to who called sudo, or to the owner of this program, who could change what we do anyway; and where users
 * beyond our groups may write, they may not rename what is not theirs (the sticky bit).
 *
 * @param folder path of a folder; what is not there yet is left out, since we will make it
 * @param remedy what to do, such as `choose another folder (--out)`
 * @throws {UserError} naming the first folder that somebody else has in hand
 */
export function requireSafePath(folder: string, remedy: string): void {
  const trusted = trustedUsers();
  const refuse = (at: string, why: string): never => {
    throw new UserError(`${at} ${why}, who could redirect what is written to ${folder}. Remove it, or ${remedy}.`);
  };
  let left = partsOf(path.resolve(folder));
  let at: string = path.sep;
  let links = 0;
  for (;;) {
    const found = lookAt(at);
    if (found === null) return;
    if (!trusted.has(found.uid)) refuse(at, `belongs to another user (id ${found.uid})`);
    if (found.isSymbolicLink()) {
      if ((links += 1) > mostLinks) throw new UserError(`${folder} has too many symbolic links on its way.`);
      const target = path.resolve(path.dirname(at), readlinkSync(at));
      left = [...partsOf(target), ...left];
      at = path.sep;
      continue;
    }
    if (mayBeChangedByOthers(found)) refuse(at, 'may be written by other users, without the sticky bit');
    const [next, ...rest] = left;
    if (next === undefined) return;
    at = path.join(at, next);
    left = rest;
  }
}

function lookAt(at: string): Stats | null {
  try {
    return lstatSync(at);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Who is in a group of ours was put there by an administrator. */
function mayBeChangedByOthers({ mode, gid }: Stats): boolean {
  if ((mode & sticky) !== 0) return false;
  const isOwnGroup = gid === 0 || gid === process.getgid?.() || (process.getgroups?.().includes(gid) ?? false);
  return (mode & othersMayWrite) !== 0 || ((mode & groupMayWrite) !== 0 && !isOwnGroup);
}

function trustedUsers(): Set<number> {
  const caller = Number(process.env['SUDO_UID']);
  // Within a user namespace, root outside of it has another id.
  const { uid: ownerOfRoot } = statSync(path.parse(process.execPath).root);
  const { uid: ownerOfProgram } = statSync(process.argv[1] ?? process.execPath);
  return new Set([
    0,
    ownerOfRoot,
    process.getuid?.() ?? 0,
    ownerOfProgram,
    ...(Number.isInteger(caller) ? [caller] : []),
  ]);
}

function partsOf(absolute: string): string[] {
  return absolute.split(path.sep).filter((part) => part !== '');
}

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

/** A folder that is told from every other one which takes its path. */
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

/** @throws {UserError} if its path leads elsewhere by now, or nowhere */
export function requireSameFolder(known: KnownFolder): void {
  requireSame(known, statSync(known.path, { bigint: true, throwIfNoEntry: false }));
}

/**
 * Opens a folder, and the folders in it one by one, none of them by way of a symbolic link; works in it, and closes it.
 *
 * @param root a folder; that a mere path is what is meant is the matter of who named it, so it may be a link
 * @param inside names of folders in it, each in the one before
 * @param options.make whether those that are missing are made
 * @throws {UserError} if one of those in it is a link, or no folder; if the path of a known root leads elsewhere by now
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
    // The path may have changed since the look at it: this is the folder that is written to.
    if (typeof root !== 'string') requireSame(root, await handle.stat({ bigint: true }));
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

function requireSame({ path: named, device, inode }: KnownFolder, found: BigIntStats | undefined): void {
  if (found?.dev === device && found.ino === inode) return;
  throw new UserError(
    `${named} is no longer the same folder: it was moved or removed in the meantime. Nothing was written to what is there now. Move the folder back to this path and start again; --resume continues a run.`,
  );
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
