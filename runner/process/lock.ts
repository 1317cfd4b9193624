import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hasCode, UserError } from '../contract/errors.ts';
import { readTextWhole } from '../files/read.ts';
import { hasEnded, ownIdentity, type ProcessIdentity, processIdentitySchema } from './identity.ts';

/** A lock is some 200 bytes. */
const mostLockBytes = 2 ** 16;

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
    while (!linked(own, file)) {
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

/** Removes a lock that counts no longer; not one that somebody else has put in its place in the meantime. */
function removeStale(file: string, stale: ProcessIdentity | null): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch {
    // Somebody else was faster.
    return;
  }
  const moved = holderOf(aside);
  if (moved !== null && (moved.pid !== stale?.pid || moved.start !== stale.start)) linked(aside, file);
  rmSync(aside, { force: true });
}
