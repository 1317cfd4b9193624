import { existsSync, readFileSync } from 'node:fs';
import type { Measures, Metric } from '../../contract/metric.ts';
import type { Neighbour } from '../../contract/trial.ts';
import { emptyCollection } from '../ask-of-each.ts';
import type { Collector, Findings } from '../collector.ts';
import { familyOf, parseProcessorTimes, type ProcessTimes, readProcessTimes, takenBetween } from './proc.ts';
import { alwaysRunnable, readThreadTimes, type ThreadTimes } from './threads.ts';

/** At most how many programs are named, and the least share of a processor of each. */
const named = { most: 3, processors: 0.01 };

/**
 * Share of all processors. The kernel samples the time of the machine a hundred times a second, but measures the time
 * of a process exactly. A smaller difference can be an artefact of that, and not a program.
 */
const leastHidden = 0.05;

/** The name of the program of a server, and of all its processes. */
const postgresProcess = 'postgres';

const others: Metric = {
  name: 'driver.others',
  label: 'driver’s processors taken by other programs',
  unit: '1',
  kind: 'share',
  better: 'lower',
  compared: null,
  source:
    'processor time of all processes outside the run, by /proc/PID/stat, and time that /proc/stat counts but no visible process shows',
};

const ofTheRun: Metric = {
  ...others,
  name: 'driver.own',
  label: 'driver’s processors taken by the run',
  source: 'processor time of pgduet, the load generator and the servers on this machine, by /proc/PID/stat',
};

const count: Metric = {
  name: 'driver.processors',
  label: 'driver’s processors',
  unit: '1',
  kind: 'count',
  better: 'higher',
  compared: null,
  hidden: true,
  source: '/proc/stat',
};

const ofServers: Metric = {
  name: 'server.processors',
  label: 'processors that the servers on this machine kept busy',
  unit: '1',
  kind: 'rate',
  better: 'lower',
  compared: null,
  source: 'processor time of the servers’ processes during the trial, by /proc/PID/stat / load.seconds',
};

const ofSessions: Metric = {
  ...ofServers,
  name: 'server.sessions',
  label: 'processors that sessions of the load kept busy, at least',
  hidden: true,
  source: 'server.processors, without processes that were there before the load and after it',
};

/** The machine at one moment. */
export interface NeighboursSnapshot {
  /** Monotonic clock. */
  seconds: number;
  /** Processor seconds in programs since the machine started, summed over all processors. */
  user: number;
  /** The same in the kernel. */
  system: number;
  processors: number;
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
  metrics: [others, ofTheRun, count, ofServers, ofSessions],
  start({ ownProcesses = () => [] }) {
    if (!existsSync('/proc/stat')) {
      return Promise.resolve(emptyCollection(neighbours.name, 'only Linux reports what processes do'));
    }
    const before = look();
    let ended: { after: NeighboursSnapshot; servers: readonly number[] } | undefined;
    return Promise.resolve({
      stop() {
        ended = { after: look(), servers: ownProcesses() };
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
  if (!existsSync('/proc/stat')) return null;
  const before = look();
  await wait();
  return findingsOf(before, look(), [process.pid, ...ours]);
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
    [ofServers.name]: processorsIn(taken),
    [ofSessions.name]: processorsIn(taken.filter((one) => !stays(one))),
  };
}

/** @param ours ids of the processes of the run; the processes that they have started are ours, too */
export function findingsOf(before: NeighboursSnapshot, after: NeighboursSnapshot, ours: readonly number[]): Findings {
  const available = (after.seconds - before.seconds) * after.processors;
  if (!(available > 0)) return {};
  const family = familyOf(ours, new Map([...before.processes, ...after.processes]));
  const taken = [...takenBetween(before.processes, after.processes, 'total')];
  const strangers = taken.filter(([pid]) => !family.has(pid));
  const sumOf = (some: typeof taken): number => some.reduce((sum, [, seconds]) => sum + seconds, 0);
  const seen = sumOf(strangers);
  const inPrograms = [...takenBetween(before.processes, after.processes, 'user')];
  // For example, of programs in another container. The kernel's own threads are left out: they take no time in
  // programs.
  const unaccounted = after.user - before.user - sumOf(inPrograms);
  const unaccountedInAll = unaccounted + after.system - before.system - (sumOf(taken) - sumOf(inPrograms));
  const hidden = unaccounted / available > leastHidden ? Math.max(unaccounted, unaccountedInAll) : 0;
  const byName = new Map<string, number>(hidden > 0 ? [['programs that cannot be seen from here', hidden]] : []);
  for (const [pid, seconds] of strangers) {
    const name = after.processes.get(pid)?.name ?? '?';
    byName.set(name, (byName.get(name) ?? 0) + seconds);
  }
  const facts = [...byName]
    .map(([name, seconds]): Neighbour => ({ name, processors: seconds / (after.seconds - before.seconds) }))
    .filter(({ processors }) => processors >= named.processors)
    .sort((one, other) => other.processors - one.processors)
    .slice(0, named.most);
  const always = [...alwaysRunnable(before.threads, after.threads, (pid) => !family.has(pid))];
  return {
    measures: {
      [others.name]: Math.min(1, (seen + hidden) / available),
      [ofTheRun.name]: Math.min(1, (sumOf(taken) - seen) / available),
      [count.name]: after.processors,
    },
    facts: {
      ...(facts.length > 0 && { neighbours: facts }),
      ...(always.length > 0 && {
        alwaysRunnable: Object.fromEntries(always.map(([thread, had]) => [thread, had / after.processors])),
      }),
    },
  };
}

function look(): NeighboursSnapshot {
  const { user, system, processors } = parseProcessorTimes(readFileSync('/proc/stat', 'utf8'));
  const seconds = performance.now() / 1000;
  const processes = readProcessTimes();
  return { seconds, user, system, processors, processes, threads: readThreadTimes(processes) };
}
