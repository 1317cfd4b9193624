import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { allowedProcessors } from '../../machine/capacity.ts';

/**
 * Parsers of what Linux reports about the machine and its processes; see proc(5) and its pages, such as proc_stat(5).
 */

/** Ticks of the kernel's processor times, the same in all of /proc (USER_HZ). */
const ticksPerSecond = 100;

export interface ProcessorTimes {
  /** Processor seconds since the machine started, over all processors that this process may use. */
  user: number;
  /** Including interrupts. */
  system: number;
  /** Idle, waiting for a disk. */
  ioWait: number;
  /** Taken by other virtual machines. */
  steal: number;
  /** How many these are. */
  processors: number;
  /** Whether there are others. */
  areSome: boolean;
  /** Of the whole machine, like what follows. */
  contextSwitches: number;
  /** Threads that run or could run at the moment. */
  runnable: number;
}

/** The times of now; null on a system that does not report them. */
export function readProcessorTimes(): ProcessorTimes | null {
  if (!existsSync('/proc/stat')) return null;
  return parseProcessorTimes(readFileSync('/proc/stat', 'utf8'), allowedProcessors());
}

/**
 * Reads /proc/stat.
 *
 * @param allowed the processors that this process may use; null for all of them
 * @throws if the text is incomplete
 */
export function parseProcessorTimes(text: string, allowed: ReadonlySet<number> | null): ProcessorTimes {
  const all = [...text.matchAll(/^cpu(\d+) /gm)].map(([, number]) => Number(number));
  const ours = all.filter((number) => allowed?.has(number) ?? true);
  const areSome = ours.length > 0 && ours.length < all.length;
  const lines = areSome ? ours.map((number) => `cpu${number}`) : ['cpu'];
  const ticks = lines.map((name) => numbersAfter(text, name));
  const seconds = (...columns: readonly number[]): number =>
    ticks.reduce((sum, of) => sum + columns.reduce((some, column) => some + (of[column] ?? 0), 0), 0) / ticksPerSecond;
  return {
    // Column 0, the time of users, includes that of guests; 1 is of those with a nice value.
    user: seconds(0, 1),
    system: seconds(2, 5, 6),
    ioWait: seconds(4),
    steal: seconds(7),
    processors: areSome ? ours.length : all.length,
    areSome,
    contextSwitches: numbersAfter(text, 'ctxt')[0] ?? NaN,
    runnable: numbersAfter(text, 'procs_running')[0] ?? NaN,
  };
}

function numbersAfter(text: string, name: string): number[] {
  const rest = new RegExp(`^${name} +(.*)$`, 'm').exec(text)?.[1];
  if (rest === undefined) throw new Error(`no ${name}`);
  return rest.trim().split(/\s+/).map(Number);
}

/**
 * @param text of /proc/meminfo
 * @returns MemAvailable in bytes
 * @throws if the text does not contain it
 */
export function parseMemory(text: string): number {
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kibibytes === undefined) throw new Error('no MemAvailable');
  return Number(kibibytes) * 1024;
}

/** Bytes since the interfaces came up, from /proc/net/dev: either of lo or of all others. */
export function parseNetwork(text: string, loopback: boolean): { received: number; sent: number } {
  const interfaces = [...text.matchAll(/^\s*([^\s:]+):\s*(.+)$/gm)].filter(([, name]) => (name === 'lo') === loopback);
  const sum = (column: number): number =>
    interfaces.reduce((total, [, , counters = '']) => total + Number(counters.trim().split(/\s+/)[column]), 0);
  return { received: sum(0), sent: sum(8) };
}

/**
 * Reads /proc/PID/stat, or that of one thread.
 *
 * @returns processor seconds since it started, its nice value, its number of threads, and the number of its scheduling policy
 */
export function parseProcessStat(text: string): {
  processorSeconds: number;
  nice: number;
  threads: number;
  policy: number;
} {
  const { field, seconds } = fieldsOfProcess(text);
  return { processorSeconds: seconds(14) + seconds(15), nice: field(19), threads: field(20), policy: field(41) };
}

/** Whether the process of this /proc/PID/stat is stopped, by a signal or by a debugger. */
export function isStopped(text: string): boolean {
  return /^[Tt]/.test(text.slice(text.lastIndexOf(')') + 2));
}

/** The fields of /proc/PID/stat, by their numbers in proc_pid_stat(5). */
function fieldsOfProcess(text: string): {
  name: string;
  field: (number: number) => number;
  /** A field in ticks. */
  seconds: (number: number) => number;
} {
  // The name is in parentheses and may contain anything. What follows begins with field 3, the state.
  const end = text.lastIndexOf(')');
  const fields = text.slice(end + 2).split(' ');
  const field = (number: number): number => Number(fields[number - 3]);
  return {
    name: text.slice(text.indexOf('(') + 1, end),
    field,
    seconds: (number) => field(number) / ticksPerSecond,
  };
}

/** Reads /proc/PID/task/TID/status: how often the thread gave up its processor, and how often it lost it. */
export function parseContextSwitches(text: string): { voluntary: number; involuntary: number } {
  const count = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)$`, 'm').exec(text)?.[1]);
  return { voluntary: count('voluntary_ctxt_switches'), involuntary: count('nonvoluntary_ctxt_switches') };
}

/** Processor time of a process and of its ended children, in seconds since each started. */
export interface ProcessTime {
  parent: number;
  /** Its name, at most 15 characters. */
  name: string;
  /** When it started, in ticks since the machine did: a later process may get the same id. */
  startedAt: number;
  /** Time in programs. Threads of the kernel have none. */
  user: number;
  /** Time in programs and in the kernel. */
  total: number;
}

export type ProcessTimes = ReadonlyMap<number, ProcessTime>;

/** Every visible process, by its id, without the kernel's own threads. Only on Linux. */
export function readProcessTimes(): ProcessTimes {
  return readWhole(
    () => readdirSync('/proc').map(Number).filter(Number.isInteger),
    (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8'),
  );
}

/** How often processes are read at most, on a machine where some end all the time. */
const maxReadings = 10;

/**
 * Reads all processes again if one was waited for meanwhile: its parent was perhaps read without its time, and itself not at all.
 * Sessions end just when a load has ended, and all of their time would be missing.
 *
 * @param list ids of all processes
 * @param statusOf text of /proc/PID/stat
 */
export function readWhole(list: () => number[], statusOf: (pid: number) => string): ProcessTimes {
  for (let reading = 1; ; reading += 1) {
    const listed = list();
    const times = new Map(
      listed.flatMap((pid): [number, ProcessTime][] => {
        const found = statusOrNull(pid, statusOf);
        if (found === null || found.isOfKernel) return [];
        const { isOfKernel: _, ...time } = found;
        return [[pid, time]];
      }),
    );
    const left = new Set(list());
    if (listed.every((pid) => left.has(pid)) || reading === maxReadings) return times;
  }
}

function statusOrNull(pid: number, statusOf: (pid: number) => string): (ProcessTime & { isOfKernel: boolean }) | null {
  try {
    return parseProcessStatus(statusOf(pid));
  } catch {
    // It has ended in the meantime.
    return null;
  }
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
 * What each process took between two looks, including its children that ended. When a child ends, all of its time is
 * added to the process that waited for it. For a child from before the first look, its earlier time is subtracted.
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
  // A process may declare that it waits for no children. Their time is then lost.
  return new Map([...taken].map(([pid, seconds]) => [pid, Math.max(0, seconds)]));
}

/** The processes of `roots` and all that they have started, as far as the chain of parents shows. */
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
