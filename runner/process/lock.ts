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
import * as z from 'zod';
import { hasCode, nameFile, wordsOf, UserError } from '../contract/errors.ts';
import { readTextWhole } from '../files/read.ts';
import { waitUntil } from './wait-until.ts';
import { hasEnded, isRunning, ownIdentity, type ProcessIdentity, processIdentitySchema } from './tracked-process.ts';

/** A lock is some 200 bytes. */
const maxLockBytes = 2 ** 16;

/** Others that start at the same moment may remove and take the lock in between, but not more often than this. */
const maxTries = 100;

/** A lock that this process holds. */
export interface Lock {
  release(): void;
}

/**
 * Takes a lock for this process, or throws at once. The lock is a file that names its holder. The lock of a killed
 * process no longer counts.
 *
 * @param file path of the lock; its folder exists
 * @param what is locked, such as `The folder results/quick`
 * @throws {UserError} if another process that may still be running holds it, or if that cannot be determined
 */
export function takeLock(file: string, what: string): Lock {
  const own = `${file}.${process.pid}`;
  rmSync(own, { force: true });
  // A new file, since someone else could have put a symbolic link there. It stays open, so that no other file gets its
  // inode.
  const descriptor = openSync(own, 'wx');
  try {
    writeFileSync(descriptor, JSON.stringify(ownIdentity()));
    // Every user must be able to see who holds it, whatever the umask.
    fchmodSync(descriptor, 0o644);
    // link() creates the lock together with its content, or fails if there is a lock already.
    for (let tries = 1; !linked(own, file); tries += 1) {
      if (tries > maxTries)
        throw new UserError(
          `${what}: another program recreates ${file} again and again. Find out which one, and stop it.`,
        );
      const holder = liveHolder(file, what);
      if (holder !== null) {
        throw new UserError(
          `${what}: in use by another pgduet (process ${holder.pid}). Wait for it to finish, or stop it.${isRunning(holder) ? '' : ` It is not visible from here; it may run in another container. If it is gone, remove ${file}.`}`,
        );
      }
      removeStale(file, what);
    }
  } catch (error) {
    closeSync(descriptor);
    throw nameFile(error, own);
  } finally {
    rmSync(own, { force: true });
  }
  return {
    release() {
      try {
        // If someone has removed our lock, the file may by now be the lock of another process.
        if (isSameFile(file, descriptor)) rmSync(file, { force: true });
      } catch {
        // On a disk that failed, or became read-only. That lock no longer counts once this process has ended, and what
        // failed before must not be hidden.
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

/**
 * Takes a lock as `takeLock` does, or waits until whoever has it is done.
 *
 * @param say receives who has it
 * @param signal ends the wait, with its reason
 */
export async function waitForLock(
  file: string,
  what: string,
  { say, signal }: { say: (line: string) => void; signal: AbortSignal },
): Promise<Lock> {
  let last = '';
  for (;;) {
    try {
      return takeLock(file, what);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (error.message !== last) say(error.message);
      last = error.message;
    }
    await waitUntil(() => false, { seconds: 0.5, everyMs: 500, signal });
  }
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
 * The holder of a lock, if it may still be running; otherwise null. A lock appears together with its content, so an
 * incomplete file is not a lock.
 *
 * @throws {UserError} if this user may not read it
 */
function liveHolder(file: string, what: string): ProcessIdentity | null {
  try {
    const text = readTextWhole(file, { max: maxLockBytes, links: 'refused' });
    const holder = processIdentitySchema.parse(JSON.parse(text));
    return hasEnded(holder) ? null : holder;
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) {
      throw new UserError(
        `${what}: perhaps in use by another pgduet. This user may not read ${file}, which names its process. Wait until that pgduet ends. If there is none, ask the file's owner to remove the file.`,
        { cause: error },
      );
    }
    const isNoLock = error instanceof SyntaxError || error instanceof z.ZodError || error instanceof UserError;
    if (isNoLock || hasCode(error, 'ENOENT', 'EISDIR')) return null;
    throw error;
  }
}

/**
 * Removes a lock that no longer counts, but not one that someone else has put in its place meanwhile.
 *
 * @throws {UserError} if this user may not remove it
 */
function removeStale(file: string, what: string): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    // Another process was faster.
    if (hasCode(error, 'ENOENT')) return;
    throw new UserError(
      `${file} is not the lock of a running pgduet, but it cannot be removed: ${wordsOf(error)}. Ask its owner to remove it, or choose another folder.`,
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
