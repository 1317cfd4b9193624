import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { hasCode, PartError, UserError } from '../contract/errors.ts';
import type { FailureCode } from '../contract/failures.ts';
import { textOf } from '../machine/control-groups.ts';
import { namesIn } from '../files/look.ts';
import { readTextWhole } from '../files/read.ts';

/** Identifies one process, even among those that had the same id earlier, or that have it in another container. */
export const processIdentitySchema = z.object({
  pid: z.int(),
  /** Start of the process, see `processStart`. */
  start: z.string().nullable(),
  /** The PID namespace in which `pid` means this process; null if there are none. */
  namespace: z.string().nullable(),
  /**
   * The time namespace in which `start` was read; null if there are none. An older pgduet recorded none: then it is
   * ours.
   */
  timeNamespace: z.string().nullable().optional(),
});

export type ProcessIdentity = z.output<typeof processIdentitySchema>;

const onLinux = process.platform === 'linux';

/** @throws {UserError} if the system does not show this process */
export function ownIdentity(): ProcessIdentity {
  requireProcesses();
  return identityOf(process.pid);
}

/**
 * @throws {UserError} if the system does not show even this process: then no start could find the processes of an
 *   earlier one, nor know that they have ended
 */
export function requireProcesses(shownIn = '/proc'): void {
  if (!onLinux || existsSync(`${shownIn}/self/stat`)) return;
  throw new UserError(
    `${shownIn} shows no processes here, so pgduet could not find the servers that it starts. Mount it (mount -t proc proc /proc), or run pgduet where it is mounted.`,
  );
}

/** @param pid of a process that we can see */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: processStart(pid), namespace: namespaceOf('pid'), timeNamespace: namespaceOf('time') };
}

/**
 * Whether the process is known to have ended. False also if that cannot be known: for a process in another PID or time
 * namespace (such as a container), and for one that /proc hides from this user. After a restart of the machine, all
 * earlier processes have ended.
 */
export function hasEnded(known: ProcessIdentity): boolean {
  const [then, now] = [bootOf(known.start), bootId()];
  // A container may hide the identity of the start of the machine, and then notes none.
  if (then !== now) return known.start === null || (then !== '' && now !== '');
  return isOfHere(known) && processStart(known.pid) !== known.start && !isHidden(known.pid);
}

/** Whether the process is running, and can be seen from here. */
export function isRunning(known: ProcessIdentity): boolean {
  return known.start !== null && isOfHere(known) && processStart(known.pid) === known.start;
}

/** Whether its `pid` and its `start` mean the same to us. */
function isOfHere({ namespace, timeNamespace = namespaceOf('time') }: ProcessIdentity): boolean {
  return namespace === namespaceOf('pid') && timeNamespace === namespaceOf('time');
}

/** Whether the process exists but /proc does not show it to this user (mount option hidepid). */
function isHidden(pid: number): boolean {
  if (processStat(pid) !== null) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

/**
 * The time at which a process started, as a text; no later process with the same id has the same text. null if there is
 * no such process.
 */
export function processStart(pid: number): string | null {
  if (!onLinux)
    return (
      spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', timeout: 10_000 }).stdout.trim() || null
    );
  const stat = processStat(pid);
  if (stat === null) return null;
  // The name is in parentheses and may contain anything. Field 22, counted from the state after the name, is the start
  // in ticks, by the clock of our time namespace.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z') return null;
  return `${bootId() ?? ''}:${fields[19] ?? ''}`;
}

/** null if there is no such process, or if this user may not see it. */
function processStat(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
}

/** Changes with every start of the machine; empty if a container hides it, null if the system has none. */
function bootId(): string | null {
  return onLinux ? textOf('/proc/sys/kernel/random/boot_id') : null;
}

function bootOf(start: string | null): string | null {
  return onLinux ? (start?.split(':')[0] ?? '') : null;
}

/** A namespace of this process; null if the kernel does not have this kind. */
function namespaceOf(kind: 'pid' | 'time'): string | null {
  const file = `/proc/self/ns/${kind}`;
  return existsSync(file) ? readlinkSync(file) : null;
}

/** How the names of notes end. */
export const trackedSuffix = '.process';
const maxNoteBytes = 2 ** 12;

export interface TrackedOptions {
  /**
   * File that identifies the process, in a folder that only this user may write to. Its name ends with `trackedSuffix`.
   */
  note: string;
  /** File to which what the program prints is added. */
  log: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  uid?: number;
  gid?: number;
}

/** Where memory runs out, the kernel ends this program and not us, who say so and clean up; see proc_pid_oom_score_adj(5). */
const endedFirst = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null';

/**
 * Starts a program that outlives us if we are killed. Before the program begins, a file identifies its process, so that
 * a clean-up finds it, whatever its command line is. The program gets a process group of its own: a Ctrl-C in the
 * terminal reaches only us.
 */
export function spawnTracked(command: readonly string[], { note, log, ...options }: TrackedOptions): ChildProcess {
  // The shell waits for a line of input, and then becomes the program, with the same identity. If we are killed before
  // that, its input ends, and so does the shell.
  const whenTracked = ['-c', `${endedFirst}; read -r begin && exec "$@" </dev/null`, 'sh', ...command];
  const output = openSync(log, 'a', 0o600);
  try {
    const child = spawn('/bin/sh', whenTracked, { ...options, detached: true, stdio: ['pipe', output, output] });
    // If the process has ended meanwhile, its exit shows that.
    child.stdin?.on('error', () => undefined);
    try {
      if (child.pid !== undefined) writeFileSync(note, JSON.stringify(identityOf(child.pid)), { mode: 0o600 });
      child.stdin?.write('begin\n');
    } finally {
      child.stdin?.end();
    }
    return child;
  } finally {
    closeSync(output);
  }
}

/** Aborts when a program ends, with how it ended and the last words of its log. */
export function endOf(child: ChildProcess, name: string, failure: FailureCode, lastWords: () => string): AbortSignal {
  const ended = new AbortController();
  child.once('error', (error) => ended.abort(error));
  child.once('exit', (code, signalName) => {
    const words = lastWords();
    ended.abort(
      new PartError(`${name} ended (${signalName ?? `exit code ${code ?? '?'}`})${words && `: ${words}`}`, {
        failure,
        printed: words,
      }),
    );
  });
  return ended.signal;
}

/** The processes that the notes in a folder name, if they are still running; none if there is no such folder. */
export function trackedProcessesIn(folder: string): ProcessIdentity[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(trackedSuffix))
    .flatMap((note) => trackedProcess(path.join(folder, note)) ?? []);
}

/** The process that a note names, if it is still running; otherwise null. */
export function trackedProcess(note: string): ProcessIdentity | null {
  try {
    const text = readTextWhole(note, { max: maxNoteBytes, links: 'refused' });
    const tracked = processIdentitySchema.parse(JSON.parse(text));
    return isRunning(tracked) ? tracked : null;
  } catch {
    // An incomplete note belongs to a program that never began.
    return null;
  }
}
