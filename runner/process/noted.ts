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
  /**
   * File that identifies the process, in a folder that only this user may write to. Its name ends with `noteSuffix`.
   */
  note: string;
  /** Descriptor of the file that gets what the program prints. */
  output: number;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  uid?: number;
  gid?: number;
}

/**
 * Starts a program that outlives us if we are killed. Before the program begins, a file identifies its process, so that
 * a clean-up finds it, whatever its command line is. The program gets a process group of its own: a Ctrl-C in the
 * terminal reaches only us.
 */
export function startNoted(command: readonly string[], { note, output, ...options }: NotedOptions): ChildProcess {
  // The shell waits for a line of input, and then becomes the program, with the same identity. If we are killed before
  // that, its input ends, and so does the shell.
  const whenNoted = ['-c', 'read -r begin && exec "$@" </dev/null', 'sh', ...command];
  const child = spawn('/bin/sh', whenNoted, { ...options, detached: true, stdio: ['pipe', output, output] });
  // If the process has ended meanwhile, its exit shows that.
  child.stdin?.on('error', () => undefined);
  try {
    if (child.pid !== undefined) writeFileSync(note, JSON.stringify(identityOf(child.pid)), { mode: 0o600 });
    child.stdin?.write('begin\n');
  } finally {
    child.stdin?.end();
  }
  return child;
}

/** The processes that the notes in a folder name, if they are still running; none if there is no such folder. */
export function notedIn(folder: string): ProcessIdentity[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(noteSuffix))
    .flatMap((note) => notedBy(path.join(folder, note)) ?? []);
}

/** The process that a note names, if it is still running; otherwise null. */
export function notedBy(note: string): ProcessIdentity | null {
  try {
    const text = readTextWhole(note, { most: mostNoteBytes, links: 'refused' });
    const noted = processIdentitySchema.parse(JSON.parse(text));
    return isRunning(noted) ? noted : null;
  } catch {
    // An incomplete note belongs to a program that never began.
    return null;
  }
}
