import { lstatSync, readlinkSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
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
export function demandOwnWay(folder: string, remedy: string): void {
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
