import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { allowedList } from '../../machine/capacity.ts';
import { cpuGroups } from './cpu-group.ts';
import { parseProcessStat, type ProcessTimes } from './proc.ts';

/** A thread of a process, with its seconds since it started. */
export interface ThreadTime {
  process: number;
  /** In which it ran. */
  ran: number;
  /** In which it waited for a processor. */
  waited: number;
}

/**
 * The threads at one moment, by process, start of the process, thread, and what decides about its share of the processors:
 * its nice value, its scheduling policy, the processors that it may use, and the weights and limits of its groups and of ours. Another priority
 * makes it another neighbour.
 */
export interface ThreadTimes {
  /** Monotonic clock. */
  seconds: number;
  times: ReadonlyMap<string, ThreadTime>;
}

/**
 * A thread that ran or waited for so much of a time could run throughout it. The wait that is under way at a look is
 * not counted yet.
 */
const throughout = 0.97;

/** Every visible thread of these processes; none where the kernel does not report how long they waited. */
export function readThreadTimes(processes: ProcessTimes): ThreadTimes {
  const seconds = performance.now() / 1000;
  const groupOf = cpuGroups();
  const own = groupOf('self');
  const threads = [...processes].flatMap(([pid, { startedAt }]) =>
    threadsOf(pid, startedAt, () => `${own} ${groupOf(pid)}`),
  );
  return { seconds, times: new Map(threads) };
}

/** @param groups of ours and of the process */
function threadsOf(process: number, startedAt: number, groups: () => string): [string, ThreadTime][] {
  try {
    const shared = groups();
    return readdirSync(`/proc/${process}/task`).map((thread) => {
      const read = (file: string): string => readFileSync(`/proc/${process}/task/${thread}/${file}`, 'utf8');
      const { nice, policy } = parseProcessStat(read('stat'));
      const group = createHash('sha256').update(`${shared} ${policy}`).digest('hex').slice(0, 8);
      return [
        `${process}-${startedAt}-${thread}-${nice}-${allowedList(read('status'))}-${group}`,
        { process, ...parseSchedulerTimes(read('schedstat')) },
      ];
    });
  } catch {
    // It has ended in the meantime, or belongs to somebody who hides it.
    return [];
  }
}

/** Reads /proc/PID/task/TID/schedstat: nanoseconds of running and of waiting (kernel documentation, scheduler/sched-stats). */
export function parseSchedulerTimes(text: string): { ran: number; waited: number } {
  const [ran = NaN, waited = NaN] = text
    .trim()
    .split(/\s+/)
    .map((nanoseconds) => Number(nanoseconds) / 1e9);
  return { ran, waited };
}

/**
 * Threads that could run throughout the time between two looks.
 *
 * @param isStranger whether a process is none of the run
 * @returns the processors that each had, by its name
 */
export function alwaysRunnable(
  before: ThreadTimes,
  after: ThreadTimes,
  isStranger: (process: number) => boolean,
): Map<string, number> {
  const seconds = after.seconds - before.seconds;
  return new Map(
    [...after.times].flatMap(([name, now]): [string, number][] => {
      const then = before.times.get(name);
      if (!then || !isStranger(now.process)) return [];
      const ran = now.ran - then.ran;
      return ran + now.waited - then.waited >= throughout * seconds ? [[name, ran / seconds]] : [];
    }),
  );
}
