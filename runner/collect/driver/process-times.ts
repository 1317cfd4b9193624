import { readdirSync, readFileSync } from 'node:fs';
import { fieldsOfProcess } from './proc.ts';

/** Processor time of a process and of its children that have ended, in seconds since each started. */
export interface ProcessTime {
  parent: number;
  /** Its name, at most 15 characters. */
  name: string;
  /** When it started, in ticks since the machine did: a later process may get the same id. */
  startedAt: number;
  /** In programs. Threads of the kernel have none. */
  user: number;
  /** In programs and in the kernel. */
  total: number;
}

export type ProcessTimes = ReadonlyMap<number, ProcessTime>;

/** Every program's process that can be seen, by its id, without the kernel's own threads. Only on Linux. */
export function readProcessTimes(): ProcessTimes {
  const times = new Map<number, ProcessTime>();
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid)) continue;
    try {
      const { isOfKernel, ...time } = parseProcessStatus(readFileSync(`/proc/${name}/stat`, 'utf8'));
      if (!isOfKernel) times.set(pid, time);
    } catch {
      // It has ended in the meantime.
    }
  }
  return times;
}

/** PF_KTHREAD of include/linux/sched.h. */
const kernelThreadFlag = 0x00200000;

/** @param text of /proc/PID/stat; see proc_pid_stat(5) */
export function parseProcessStatus(text: string): ProcessTime & { isOfKernel: boolean } {
  const { name, field, seconds } = fieldsOfProcess(text);
  const user = seconds(14) + seconds(16);
  return {
    parent: field(4),
    name,
    startedAt: field(22),
    user,
    total: user + seconds(15) + seconds(17),
    isOfKernel: (field(9) & kernelThreadFlag) !== 0,
  };
}

/**
 * What each process took between two looks, with its children that ended. A child that was there before has given all of its
 * time to whoever waited for its end; what it took before the first look is left out.
 */
export function takenBetween(before: ProcessTimes, after: ProcessTimes, what: 'user' | 'total'): Map<number, number> {
  const taken = new Map(
    [...after].map(([pid, now]) => [pid, now[what] - (sameProcess(before.get(pid), now)?.[what] ?? 0)]),
  );
  for (const [pid, gone] of before) {
    if (sameProcess(after.get(pid), gone)) continue;
    const heir = survivorAbove(gone, before, after);
    if (heir !== null) taken.set(heir, (taken.get(heir) ?? 0) - gone[what]);
  }
  // Nobody waits for the children of who says so, and their time is lost.
  return new Map([...taken].map(([pid, seconds]) => [pid, Math.max(0, seconds)]));
}

/** The processes of `roots` and all that they have started, as far as the chain of parents shows it. */
export function familyOf(roots: readonly number[], times: ProcessTimes): Set<number> {
  const family = new Set(roots);
  const isOurs = (pid: number): boolean => {
    const path: number[] = [];
    for (let at: number | undefined = pid; at !== undefined && at !== 0; at = times.get(at)?.parent) {
      if (family.has(at)) {
        for (const one of path) family.add(one);
        return true;
      }
      path.push(at);
    }
    return false;
  };
  return new Set([...times.keys(), ...roots].filter(isOurs));
}

function sameProcess(one: ProcessTime | undefined, other: ProcessTime): ProcessTime | undefined {
  return one?.startedAt === other.startedAt ? one : undefined;
}

/** The nearest ancestor that is still there. */
function survivorAbove(gone: ProcessTime, before: ProcessTimes, after: ProcessTimes): number | null {
  for (let pid = gone.parent; pid !== 0;) {
    const ancestor = before.get(pid);
    if (!ancestor) return null;
    if (sameProcess(after.get(pid), ancestor)) return pid;
    pid = ancestor.parent;
  }
  return null;
}
