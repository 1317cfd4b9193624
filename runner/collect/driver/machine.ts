import { existsSync, readFileSync } from 'node:fs';
import { memoryLeft } from '../../machine/capacity.ts';
import { absent, emptyCollection } from '../absent.ts';
import { type Collector, type Findings, secondOf } from '../collector.ts';
import { metric } from '../metric.ts';
import { type Counters, ratesOf, type Sample, startSampler } from '../sampler.ts';
import { parseMemory, parseNetwork, readProcessorTimes } from './proc.ts';
import { isOnThisMachine } from '../../postgres/target.ts';

const stat =
  '/proc/stat, every second: time of the processors that pgduet may use on the machine that generates the load';
const user = metric('share', 'driver.user', 'driver CPU: user programs', { source: stat });
const system = metric('share', 'driver.system', 'driver CPU: kernel', {
  source: `${stat}; including interrupts`,
});
const ioWait = metric('share', 'driver.ioWait', 'driver CPU: I/O wait', { source: stat });
const steal = metric('share', 'driver.steal', 'driver CPU: steal', {
  source: `${stat}; time that the host gave to other virtual machines`,
});
const runQueue = metric('average', 'driver.runQueue', 'driver run queue', {
  source: 'procs_running of /proc/stat, every second; one of them is pgduet itself, which reads the file',
});
const contextSwitches = metric('perSecond', 'driver.contextSwitches', 'driver context switches per second', {
  source: '/proc/stat, every second',
});
const memory = metric('bytes', 'driver.memoryAvailable', 'driver: minimum of available memory', {
  better: 'higher',
  source: 'MemAvailable of /proc/meminfo, or what a limit of its control groups leaves if that is less, every second',
});
const traffic = { source: '/proc/net/dev: all interfaces except lo, or only lo if the server is on this machine' };
const received = metric('bytesPerSecond', 'driver.networkReceived', 'driver received per second', traffic);
const sent = metric('bytesPerSecond', 'driver.networkSent', 'driver sent per second', traffic);

export interface MachineSample {
  counters: Counters;
  memoryAvailable: number;
  runnable: number;
}

/** What the machine that generates the load does, on Linux only. Elsewhere there are no values. */
export const machine: Collector = {
  name: 'machine',
  optional: true,
  metrics: [user, system, ioWait, steal, runQueue, contextSwitches, memory, received, sent],
  start(trial) {
    if (!existsSync('/proc/stat')) {
      return Promise.resolve(emptyCollection(machine.name, 'only Linux reports what a machine does'));
    }
    const loopback = isOnThisMachine(trial.target);
    const sampler = startSampler(1, () => readMachine(loopback));
    return Promise.resolve({
      async stop({ startedAt }) {
        const { samples, failure } = await sampler.stop({ last: true });
        const found = findingsOf(samples, startedAt);
        return failure ? { ...found, ...absent(machine.name, failure.message) } : found;
      },
    });
  },
};

/**
 * Series of all metrics. Measures of the trial: the least available memory, and the mean of everything else.
 *
 * @param samples in order of time
 */
export function findingsOf(samples: readonly Sample<MachineSample>[], startedAt: Date): Findings {
  if (samples.length < 2) return {};
  const rates = ratesOf(
    samples.map(({ at, value }) => ({ at, value: value.counters })),
    startedAt,
  );
  const inTrial = samples.filter(({ at }) => at >= startedAt.getTime());
  const measures = {
    ...Object.fromEntries(Object.entries(rates.measures).map(([name, value]) => [name, limited(name, value)])),
    ...(inTrial.length > 0 && {
      [runQueue.name]: inTrial.reduce((sum, { value }) => sum + value.runnable, 0) / inTrial.length,
      [memory.name]: Math.min(...inTrial.map(({ value }) => value.memoryAvailable)),
    }),
  };
  const gauges = inTrial.flatMap(({ at, value: { memoryAvailable, runnable } }) => {
    const second = secondOf(at, startedAt);
    return [
      { second, name: memory.name, value: memoryAvailable },
      { second, name: runQueue.name, value: runnable },
    ];
  });
  return {
    measures,
    series: [...rates.series.map((row) => ({ ...row, value: limited(row.name, row.value) })), ...gauges],
  };
}

/** The kernel counts in ticks of 10 ms, so the share of a second can come out a little above 1. */
function limited(name: string, value: number): number {
  return [user, system, ioWait, steal].some((metric) => metric.name === name) ? Math.min(1, value) : value;
}

function readMachine(loopback: boolean): MachineSample {
  const times = readProcessorTimes();
  if (times === null) throw new Error('/proc/stat is gone');
  const transferred = parseNetwork(readFileSync('/proc/net/dev', 'utf8'), loopback);
  return {
    counters: {
      // Per processor, so that the rate is a share of all processors.
      [user.name]: times.user / times.processors,
      [system.name]: times.system / times.processors,
      [ioWait.name]: times.ioWait / times.processors,
      [steal.name]: times.steal / times.processors,
      [contextSwitches.name]: times.contextSwitches,
      [received.name]: transferred.received,
      [sent.name]: transferred.sent,
    },
    memoryAvailable: Math.min(memoryLeft(), parseMemory(readFileSync('/proc/meminfo', 'utf8'))),
    runnable: times.runnable,
  };
}
