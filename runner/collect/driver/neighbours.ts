import type { Measures } from '../../contract/metric.ts';
import type { Neighbour } from '../../contract/trial.ts';
import { capacity } from '../../machine/capacity.ts';
import { emptyCollection } from '../absent.ts';
import type { Collector, Findings } from '../collector.ts';
import { metric } from '../metric.ts';
import { familyOf, type ProcessTimes, readProcessorTimes, readProcessTimes, takenBetween } from './proc.ts';
import { alwaysRunnable, readThreadTimes, type ThreadTimes } from './threads.ts';

/** At most how many programs are named, and the least share of a processor of each. */
const named = { max: 3, processors: 0.01 };

/**
 * Share of all processors. The kernel samples the time of the machine a hundred times a second, but measures the time
 * of a process exactly. A smaller difference can be an artefact of that, and not a program.
 */
const minHidden = 0.05;

/** The name of the program of a server, and of all its processes. */
const postgresProcess = 'postgres';

const others = metric('share', 'driver.others', 'driver CPU used by other programs', {
  source:
    'processor time of all processes outside the run, by /proc/PID/stat, and time that /proc/stat counts but no visible process shows; of the processors that pgduet may use, and beyond what a quota of its control group leaves idle',
});
const ownMetric = metric('share', 'driver.own', 'driver CPU used by the run', {
  source: 'processor time of pgduet, the load generator and the servers on this machine, by /proc/PID/stat',
});
const count = metric('count', 'driver.processors', 'driver’s processors', {
  better: 'higher',
  hidden: true,
  source: 'those of /proc/stat that pgduet may use, or the quota of its control group if that is lower',
});
const serversMetric = metric('average', 'server.processors', 'CPUs used by the servers on this machine', {
  source: 'processor time of the servers’ processes during the trial, by /proc/PID/stat / load.seconds',
});
const sessionsMetric = metric('average', 'server.sessions', 'CPUs used by load sessions, at least', {
  hidden: true,
  source: 'server.processors, without processes that were there before the load and after it',
});

/** The machine at one moment. */
export interface NeighboursSnapshot {
  /** Monotonic clock. */
  seconds: number;
  /** Processor seconds in programs since the machine started, summed over all processors that pgduet may use. */
  user: number;
  /** The same in the kernel. */
  system: number;
  processors: number;
  /** Whether the machine has other processors, too. What of a process ran there cannot be told. */
  areSome: boolean;
  /** The lowest quota of processors, with what its control group has taken so far; null without one. */
  quota: { processors: number; usedSeconds: number | null } | null;
  processes: ProcessTimes;
  threads: ThreadTimes;
}

/**
 * What other programs take of the machine that generates the load, on Linux only. Work of the kernel that belongs to no
 * process cannot be told apart from work for the run.
 */
export const neighbours: Collector = {
  name: 'neighbours',
  optional: false,
  metrics: [others, ownMetric, count, serversMetric, sessionsMetric],
  start({ ownProcesses = () => [] }) {
    const before = look();
    if (!before) return Promise.resolve(emptyCollection(neighbours.name, 'only Linux reports what processes do'));
    let ended: { after: NeighboursSnapshot; servers: readonly number[] } | undefined;
    return Promise.resolve({
      stop() {
        const after = look();
        if (!after) return Promise.resolve({});
        ended = { after, servers: ownProcesses() };
        return Promise.resolve(findingsOf(before, ended.after, [process.pid, ...ended.servers]));
      },
      // Only now does the load say for how long it kept its sessions busy.
      finish({ load }) {
        if (!ended) return Promise.resolve({});
        const { after, servers } = ended;
        const seconds = load ? (load.to - load.from) / 1000 : after.seconds - before.seconds;
        return Promise.resolve({ measures: processorsOf(before, after, { servers, seconds }) });
      },
    });
  },
};

/**
 * What other programs take during `wait`; null if the system does not report it.
 *
 * @param ours ids of processes of the run besides this one
 */
export async function neighboursDuring(wait: () => Promise<void>, ours: readonly number[]): Promise<Findings | null> {
  const before = look();
  if (!before) return null;
  await wait();
  const after = look();
  return after && findingsOf(before, after, [process.pid, ...ours]);
}

/**
 * @param servers ids of the processes that the run has started: servers, and programs that limit their volumes
 * @param seconds of the load, which the time is divided by: before and after it, servers do next to nothing
 */
export function processorsOf(
  before: NeighboursSnapshot,
  after: NeighboursSnapshot,
  { servers, seconds: loaded }: { servers: readonly number[]; seconds: number },
): Measures {
  if (servers.length === 0 || !(loaded > 0)) return {};
  const family = familyOf(servers, new Map([...before.processes, ...after.processes]));
  const taken = [...takenBetween(before.processes, after.processes, 'total')].filter(([pid]) => family.has(pid));
  // The time of a session that has ended is part of its server's own, which is little.
  const isServer = (pid: number): boolean =>
    servers.includes(pid) && after.processes.get(pid)?.name === postgresProcess;
  const stays = ([pid]: (typeof taken)[number]): boolean =>
    !isServer(pid) && before.processes.get(pid)?.startedAt === after.processes.get(pid)?.startedAt;
  const processorsIn = (some: typeof taken): number => some.reduce((sum, [, seconds]) => sum + seconds, 0) / loaded;
  return {
    [serversMetric.name]: processorsIn(taken),
    [sessionsMetric.name]: processorsIn(taken.filter((one) => !stays(one))),
  };
}

/** @param ours ids of the processes of the run; the processes that they have started are ours, too */
export function findingsOf(before: NeighboursSnapshot, after: NeighboursSnapshot, ours: readonly number[]): Findings {
  const seconds = after.seconds - before.seconds;
  const available = seconds * after.processors;
  if (!(available > 0)) return {};
  const family = familyOf(ours, new Map([...before.processes, ...after.processes]));
  const taken = [...takenBetween(before.processes, after.processes, 'total')];
  const strangers = taken.filter(([pid]) => !family.has(pid));
  const sumOf = (some: typeof taken): number => some.reduce((sum, [, seconds]) => sum + seconds, 0);
  const own = sumOf(taken.filter(([pid]) => family.has(pid)));
  const inPrograms = [...takenBetween(before.processes, after.processes, 'user')];
  // Who else runs on our processors, and how much, is known only where they are all that there are.
  const ourTimes = after.areSome ? inPrograms.filter(([pid]) => family.has(pid)) : inPrograms;
  // For example, of programs in another container. The kernel's own threads are left out: they take no time in
  // programs.
  const unaccounted = after.user - before.user - sumOf(ourTimes);
  const total = after.user - before.user + after.system - before.system;
  const observed = after.areSome ? Math.min(sumOf(strangers), Math.max(0, total - own)) : sumOf(strangers);
  const hidden =
    unaccounted / available > minHidden
      ? Math.max(0, unaccounted - (after.areSome ? observed : 0), total - own - observed)
      : 0;
  const byName = new Map<string, number>(hidden > 0 ? [['programs that cannot be seen from here', hidden]] : []);
  for (const [pid, taken] of strangers) {
    const name = after.processes.get(pid)?.name ?? '?';
    byName.set(name, (byName.get(name) ?? 0) + taken);
  }
  const facts = [...byName]
    .map(([name, taken]): Neighbour => ({ name, processors: taken / seconds }))
    .filter(({ processors }) => processors >= named.processors)
    .sort((one, other) => other.processors - one.processors)
    .slice(0, named.max);
  const { usable, lost } = lostTo(observed + hidden, { before, after, own });
  // What they took of processors that a quota leaves idle anyway cost the run nothing.
  const weight = (observed + hidden > 0 ? Math.min(1, (lost * seconds) / (observed + hidden)) : 1) / usable;
  const always = [...alwaysRunnable(before.threads, after.threads, (pid) => !family.has(pid))];
  return {
    measures: {
      [others.name]: Math.min(1, lost / usable),
      [ownMetric.name]: Math.min(1, own / seconds / usable),
      [count.name]: usable,
    },
    facts: {
      ...(facts.length > 0 && { neighbours: facts }),
      ...(always.length > 0 && {
        alwaysRunnable: Object.fromEntries(always.map(([thread, had]) => [thread, had * weight])),
      }),
    },
  };
}

/**
 * How many processors the run may keep busy, and how many of them it lost to others.
 *
 * @param taken processor seconds that others took of the processors that the run may use
 * @param between.own processor seconds of the run
 */
function lostTo(
  taken: number,
  { before, after, own }: { before: NeighboursSnapshot; after: NeighboursSnapshot; own: number },
): { usable: number; lost: number } {
  const seconds = after.seconds - before.seconds;
  const { quota, processors } = after;
  if (!quota) return { usable: processors, lost: taken / seconds };
  const usable = Math.min(quota.processors, processors);
  const [then, now] = [before.quota?.usedSeconds ?? null, quota.usedSeconds];
  const beside = then === null || now === null ? 0 : (now - then - own) / seconds;
  const lostProcessors = taken / seconds - (processors - usable);
  return { usable, lost: Math.max(0, lostProcessors, beside > minHidden * usable ? beside : 0) };
}

/** null if the system does not report it. */
function look(): NeighboursSnapshot | null {
  const times = readProcessorTimes();
  if (!times) return null;
  const { user, system, processors, areSome } = times;
  const { quota } = capacity();
  const seconds = performance.now() / 1000;
  const processes = readProcessTimes();
  return {
    ...{ seconds, user, system, processors, areSome },
    quota: quota && { processors: quota.processors, usedSeconds: quota.usedSeconds() },
    ...{ processes, threads: readThreadTimes(processes) },
  };
}
