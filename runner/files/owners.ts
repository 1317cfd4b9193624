import { lstatSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import { hasCode, UserError } from '../contract/errors.ts';

const othersMayWrite = 0o002;
const groupMayWrite = 0o020;
const sticky = 0o1000;
/** As many links as Linux follows in one path. */
const maxLinks = 40;

/** A folder, a link or a file on the way to a path. */
export interface PathStep {
  at: string;
  found: Stats;
}

/**
 * Everything on the way to a path, from the root: each folder, each link with the way that it leads, and at last what the
 * path names. It ends early at what does not exist.
 *
 * @throws {UserError} if the path goes through too many links
 */
export function* stepsTo(place: string): Generator<PathStep> {
  let left = partsOf(path.resolve(place));
  let at: string = path.sep;
  let links = 0;
  for (;;) {
    const found = lookAt(at);
    if (found === null) return;
    yield { at, found };
    if (found.isSymbolicLink()) {
      if ((links += 1) > maxLinks)
        throw new UserError(`The path ${place} has too many symbolic links. Specify the real folder.`);
      left = [...partsOf(path.resolve(path.dirname(at), readlinkSync(at))), ...left];
      at = path.sep;
      continue;
    }
    const [next, ...rest] = left;
    if (next === undefined) return;
    at = path.join(at, next);
    left = rest;
  }
}

/**
 * Who else decides what a file holds, in words that follow its name; null if only trusted users do.
 *
 * @param file its whole path; a missing file is nobody's
 */
export function controlOfOthers(file: string): string | null {
  const trusted = trustedUsers();
  const [others] = [...stepsTo(file)].flatMap(({ at, found }) => {
    const what = at === path.resolve(file) ? '' : `is reached through ${at}, which `;
    if (!trusted.has(found.uid)) return [`${what}belongs to ${nameOfUser(found.uid)}`];
    return !found.isSymbolicLink() && mayBeChangedByOthers(found) ? [`${what}can be written by other users`] : [];
  });
  return others ?? null;
}

/**
 * The users who could change what we do anyway, or for whom we do it: this one, root, whoever called sudo, and the owner
 * of this program.
 */
export function trustedUsers(): Set<number> {
  const caller = Number(process.env['SUDO_UID']);
  // In a user namespace, the root user outside has another id.
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

/** An administrator has chosen the members of our groups, so they count as trusted, as does the group of whoever called sudo. */
export function mayBeChangedByOthers({ mode, gid }: Stats): boolean {
  if ((mode & sticky) !== 0) return false;
  const own = [0, process.getgid?.(), ...(process.getgroups?.() ?? []), Number(process.env['SUDO_GID'] ?? NaN)];
  const isOwnGroup = own.includes(gid);
  return (mode & othersMayWrite) !== 0 || ((mode & groupMayWrite) !== 0 && !isOwnGroup);
}

/** Such as `bob (id 1001)`, or only the id of a user who is not in the system's own list. */
function nameOfUser(uid: number): string {
  const name = accounts()
    .map((line) => line.split(':'))
    .find(([, , id]) => id === String(uid))?.[0];
  return name === undefined ? `another user (id ${uid})` : `${name} (id ${uid})`;
}

function accounts(): string[] {
  try {
    return readFileSync('/etc/passwd', 'utf8').split('\n');
  } catch {
    return [];
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

function partsOf(absolute: string): string[] {
  return absolute.split(path.sep).filter((part) => part !== '');
}
