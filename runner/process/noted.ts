import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { namesIn } from '../files/look.ts';
import { readTextWhole } from '../files/read.ts';
import { identityOf, isRunning, type ProcessIdentity, processIdentitySchema } from './identity.ts';

/** How the names of notes end. */
export const noteSuffix = '.process';
const mostNoteBytes = 2 ** 12;

export interface NotedOptions {
  /** File that says which process it is, in a folder that only this user may write to. Its name ends with `noteSuffix`. */
  note: string;
  /** Descriptor of the file that gets what the program prints. */
  output: number;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  uid?: number;
  gid?: number;
}

/**
 * Starts a program that outlives us if we are killed. A file says which process it is before the program begins, so that who
 * cleans up finds it by its identity, whatever its command line holds. It gets a process group of its own: a Ctrl-C in the
 * terminal reaches only us.
 */
export function startNoted(command: readonly string[], { note, output, ...options }: NotedOptions): ChildProcess {
  // The shell becomes the program, with the same identity, as soon as it is told to. If we are killed before that, its input
  // ends, and it with it.
  const whenNoted = ['-c', 'read -r begin && exec "$@" </dev/null', 'sh', ...command];
  const child = spawn('/bin/sh', whenNoted, { ...options, detached: true, stdio: ['pipe', output, output] });
  // That it was ended in the meantime is told by its exit.
  child.stdin?.on('error', () => undefined);
  try {
    if (child.pid !== undefined) writeFileSync(note, JSON.stringify(identityOf(child.pid)), { mode: 0o600 });
    child.stdin?.write('begin\n');
  } finally {
    child.stdin?.end();
  }
  return child;
}

/** The processes that notes in a folder name and that still run; none if there is no such folder. */
export function notedIn(folder: string): ProcessIdentity[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(noteSuffix))
    .flatMap((note) => notedBy(path.join(folder, note)) ?? []);
}

/** The process that a note names, if it still runs; otherwise null. */
export function notedBy(note: string): ProcessIdentity | null {
  try {
    const text = readTextWhole(note, { most: mostNoteBytes, links: 'refused' });
    const noted = processIdentitySchema.parse(JSON.parse(text));
    return isRunning(noted) ? noted : null;
  } catch {
    // A note that is not whole is of a program that was never begun.
    return null;
  }
}
