import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync } from 'node:fs';
import { z } from 'zod';

/** Tells one process from every other one, also from those that had its id before or in another container. */
export const processIdentitySchema = z.object({
  pid: z.int(),
  /** Start of the process, see `processStart`. */
  start: z.string().nullable(),
  /** The PID namespace in which `pid` means this process; null where there are none. */
  namespace: z.string().nullable(),
});

export type ProcessIdentity = z.output<typeof processIdentitySchema>;

const onLinux = existsSync('/proc/self/stat');

export function ownIdentity(): ProcessIdentity {
  return identityOf(process.pid);
}

/** @param pid of a process that we can see */
export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: processStart(pid), namespace: pidNamespace() };
}

/**
 * Whether the process has ended. False also for a process of another PID namespace, as of a container: from here, nobody can
 * know. After a restart of the machine, all processes from before have ended.
 */
export function hasEnded({ pid, start, namespace }: ProcessIdentity): boolean {
  if (bootOf(start) !== bootId()) return true;
  return namespace === pidNamespace() && processStart(pid) !== start;
}

/** Whether the process runs, and can be seen from here. */
export function isRunning({ pid, start, namespace }: ProcessIdentity): boolean {
  return start !== null && namespace === pidNamespace() && processStart(pid) === start;
}

/**
 * The time at which a process started, as a text; no later process with the same id has the same text. null if there is no
 * such process.
 */
export function processStart(pid: number): string | null {
  if (!onLinux)
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout.trim() || null;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may hold anything. Field 22, counted from the state after the name, is the start in
    // ticks.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return null;
    return `${bootId() ?? ''}:${fields[19] ?? ''}`;
  } catch {
    return null;
  }
}

/** Changes with every start of the machine; null where the system does not tell. */
function bootId(): string | null {
  return onLinux ? readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim() : null;
}

function bootOf(start: string | null): string | null {
  return onLinux ? (start?.split(':')[0] ?? '') : null;
}

function pidNamespace(): string | null {
  return onLinux ? readlinkSync('/proc/self/ns/pid') : null;
}
