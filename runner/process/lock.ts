import {
  closeSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { z } from 'zod';
import { hasCode, UserError } from '../contract/errors.ts';
import { readTextWhole } from '../files/read.ts';
import { hasEnded, isRunning, ownIdentity, type ProcessIdentity, processIdentitySchema } from './identity.ts';

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
 * @throws {UserError} if another process that may still be running holds it, or if nobody can tell
 */
export function takeLock(file: string, what: string): Lock {
  const own = `${file}.${process.pid}`;
  rmSync(own, { force: true });
  // A new file: somebody else could have put a symbolic link there. It stays open, so that no other file gets its inode.
  const descriptor = openSync(own, 'wx');
  try {
    writeFileSync(descriptor, JSON.stringify(ownIdentity()));
    // Every user has to see who holds it, whatever the umask.
    fchmodSync(descriptor, 0o644);
    // To link is to create the lock with its content, or to fail if it is there.
    for (let tries = 1; !linked(own, file); tries += 1) {
      if (tries > mostTries) throw new UserError(`${what}: ${file} is put there again and again. Find out by whom.`);
      const holder = liveHolder(file, what);
      if (holder !== null) {
        throw new UserError(
          `${what}: in use by another pgduet (process ${holder.pid}). Wait until it ends, or stop it.${isRunning(holder) ? '' : ` It cannot be seen from here, as a process of another container; if it is gone, remove ${file}.`}`,
        );
      }
      removeStale(file, what);
    }
  } catch (error) {
    closeSync(descriptor);
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
  return {
    release() {
      // By now it may be the lock of another one, if somebody has removed ours.
      if (isSameFile(file, descriptor)) rmSync(file, { force: true });
      closeSync(descriptor);
    },
  };
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

function isSameFile(file: string, descriptor: number): boolean {
  const [found, open] = [
    lstatSync(file, { bigint: true, throwIfNoEntry: false }),
    fstatSync(descriptor, { bigint: true }),
  ];
  return found?.dev === open.dev && found.ino === open.ino;
}

/**
 * Who holds a lock and may still be running; null if nobody. A lock appears with its content, so what is not whole is none.
 *
 * @throws {UserError} if this user may not read it
 */
function liveHolder(file: string, what: string): ProcessIdentity | null {
  try {
    const text = readTextWhole(file, { most: mostLockBytes, links: 'refused' });
    const holder = processIdentitySchema.parse(JSON.parse(text));
    return hasEnded(holder) ? null : holder;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) {
      throw new UserError(
        `${what}: perhaps in use by another pgduet; this user may not read ${file}, which says by which. Wait until it ends; if there is none, have the file's owner remove it.`,
        { cause: error },
      );
    }
    const isNoLock = error instanceof SyntaxError || error instanceof z.ZodError || error instanceof UserError;
    if (isNoLock || hasCode(error, 'ENOENT', 'EISDIR')) return null;
    throw error;
  }
}

/**
 * Removes a lock that counts no longer; not one that somebody else has put in its place in the meantime.
 *
 * @throws {UserError} if it may not be removed
 */
function removeStale(file: string, what: string): void {
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
  let counts = true;
  try {
    counts = liveHolder(aside, what) !== null;
  } catch {
    // The next look at it says why nobody can tell.
  }
  if (counts) renameSync(aside, file);
  else rmSync(aside, { force: true });
}
