import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode, UserError } from '../contract/errors.ts';
import { readTextWhole } from '../files/read.ts';
import { hasEnded, ownIdentity, type ProcessIdentity, processIdentitySchema } from './identity.ts';

/** A lock is some 200 bytes. */
const mostLockBytes = 2 ** 16;

/** Others that start at the same moment may remove and take the lock in between, but not more often than this. */
const mostTries = 100;

/** A lock that this process holds. */
export interface Lock {
  release(): void;
}

/**
 * Takes a lock for this process, or throws at once. The lock is a file that says whose it is. The lock of a process that was
 * killed counts no longer.
 *
 * @param file path of the lock; its folder exists
 * @param what is locked, such as `The folder results/quick`
 * @throws {UserError} if another process that may still be running holds it
 */
export function takeLock(file: string, what: string): Lock {
  const own = `${file}.${process.pid}`;
  rmSync(own, { force: true });
  // A new file: somebody else could have put a symbolic link there.
  writeFileSync(own, JSON.stringify(ownIdentity()), { mode: 0o600, flag: 'wx' });
  try {
    // To link is to create the lock with its content, or to fail if it is there.
    for (let tries = 1; !linked(own, file); tries += 1) {
      if (tries > mostTries) throw new UserError(`${what}: ${file} is put there again and again. Find out by whom.`);
      const holder = holderOf(file);
      if (holder !== null && !hasEnded(holder)) {
        throw new UserError(
          `${what}: in use by another pgduet (process ${holder.pid}). Wait until it ends, or stop it.${holder.namespace === ownIdentity().namespace ? '' : ` It runs in another container; if it is gone, remove ${file}.`}`,
        );
      }
      removeStale(file, holder);
    }
  } finally {
    rmSync(own, { force: true });
  }
  return { release: () => rmSync(file, { force: true }) };
}

/** Who holds a lock and may still be running; null if nobody. */
export function liveHolder(file: string): ProcessIdentity | null {
  const holder = holderOf(file);
  return holder !== null && !hasEnded(holder) ? holder : null;
}

function linked(own: string, file: string): boolean {
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** null if there is no lock, or if the file is not whole: a lock appears with its content, so such a file is no lock. */
function holderOf(file: string): ProcessIdentity | null {
  try {
    return processIdentitySchema.parse(JSON.parse(readTextWhole(file, { most: mostLockBytes, links: 'refused' })));
  } catch {
    return null;
  }
}

/**
 * Removes a lock that counts no longer; not one that somebody else has put in its place in the meantime.
 *
 * @throws {UserError} if it may not be removed
 */
function removeStale(file: string, stale: ProcessIdentity | null): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    // Somebody else was faster.
    if (hasCode(error, 'ENOENT')) return;
    throw new UserError(
      `${file} is no lock of a pgduet that runs, and cannot be removed: ${error instanceof Error ? error.message : String(error)}. Have its owner remove it, or choose another folder.`,
      { cause: error },
    );
  }
  const moved = holderOf(aside);
  if (moved !== null && (moved.pid !== stale?.pid || moved.start !== stale.start)) linked(aside, file);
  rmSync(aside, { force: true });
}
