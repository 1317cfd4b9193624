import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { absent } from '../absent.ts';
import type { CollectedTrial, Collection, Collector, Findings } from '../collector.ts';
import { metric } from '../metric.ts';
import { type Counters, ratesOf, type Sample, type Sampler, startSampler } from '../sampler.ts';
import { isStopped, parseContextSwitches, parseProcessStat } from './proc.ts';

const source = '/proc/PID/task of the load generator, every second';
const processors = metric('average', 'driver.loadGeneratorProcessors', 'CPUs used by the load generator', {
  source,
});
const busy = metric('share', 'driver.loadGeneratorBusy', 'load generator: threads busy', {
  source: `${source}: its processor time as a share of one processor per thread; near 1, it is at its limit`,
});
const voluntary = metric(
  'perSecond',
  'driver.loadGeneratorWaits',
  'load generator: voluntary context switches per second',
  {
    source: `${source}: voluntary context switches`,
  },
);
const involuntary = metric(
  'perSecond',
  'driver.loadGeneratorPreemptions',
  'load generator: involuntary context switches per second',
  {
    source: `${source}: involuntary context switches`,
  },
);

export interface LoadSample {
  counters: Counters;
  threads: number;
}

/**
 * What the process of the load generator uses of its machine, on Linux only. Several may run at once, one for each
 * trial.
 */
export const loadGenerator: Collector = {
  name: 'load-generator',
  optional: true,
  metrics: [processors, busy, voluntary, involuntary],
  start: (trial) => watchLoad(loadGenerator.name, trial, 1, readLoad, findingsOf),
};

/**
 * Looks at the process of the load generator from when it has started until it ends or the trial does.
 *
 * @param look throws if the process has ended; then the sampler ends by itself
 */
function watchLoad<Value>(
  name: string,
  { loadProcess }: CollectedTrial,
  everySeconds: number,
  look: (pid: number) => Value,
  found: (samples: readonly Sample<Value>[], startedAt: Date) => Findings,
): Promise<Collection> {
  let sampler: Sampler<Value> | null = null;
  let ended = false;
  void loadProcess.then((pid) => {
    if (!ended) sampler = startSampler(everySeconds, () => look(pid));
  });
  return Promise.resolve({
    async stop({ startedAt }) {
      ended = true;
      if (!existsSync('/proc/self/task')) return absent(name, 'only Linux reports what a process does');
      if (!sampler) return absent(name, 'the load generator is not a separate process');
      return found((await sampler.stop()).samples, startedAt);
    },
    async abandon() {
      ended = true;
      await sampler?.stop();
    },
  });
}

/** @param samples in order of time */
export function findingsOf(samples: readonly Sample<LoadSample>[], startedAt: Date): Findings {
  const { measures, series } = ratesOf(
    samples.map(({ at, value }) => ({ at, value: value.counters })),
    startedAt,
  );
  const rate = measures[processors.name];
  if (rate === undefined) return absent(loadGenerator.name, 'the load was too short for two samples');
  // The load generator has all of its threads only once all clients are connected.
  const threads = Math.max(...samples.map(({ value }) => value.threads));
  const share = (value: number): number => Math.min(1, value / threads);
  return {
    measures: { ...measures, [busy.name]: share(rate) },
    series: [
      ...series,
      ...series
        .filter(({ name }) => name === processors.name)
        .map(({ second, value }) => ({ second, name: busy.name, value: share(value) })),
    ],
  };
}

/** @throws if the process has ended */
function readLoad(pid: number): LoadSample {
  const { processorSeconds, threads } = parseProcessStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The status of a process has only the context switches of its first thread.
  const switches = readdirSync(`/proc/${pid}/task`).map((thread) =>
    parseContextSwitches(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
  );
  return {
    counters: {
      [processors.name]: processorSeconds,
      [voluntary.name]: switches.reduce((sum, one) => sum + one.voluntary, 0),
      [involuntary.name]: switches.reduce((sum, one) => sum + one.involuntary, 0),
    },
    threads,
  };
}

const everySeconds = 0.25;

const stopped = metric('seconds', 'load.stopped', 'load generator was stopped for', {
  hidden: true,
  source:
    'the longest time in which every look at /proc/PID/stat of the load generator, four per second, found it stopped',
});
const stoppedShare = metric('share', 'load.stoppedShare', 'load generator was stopped', {
  hidden: true,
  source: 'the share of looks at /proc/PID/stat of the load generator, four per second, that found it stopped',
});

/**
 * Whether somebody stopped the process of the load generator, on Linux only. In its own reports, a stop looks the same
 * as a server that keeps it waiting for a connection.
 */
export const loadStops: Collector = {
  name: 'load-stops',
  optional: false,
  metrics: [stopped, stoppedShare],
  start: (trial) =>
    watchLoad(
      loadStops.name,
      trial,
      everySeconds,
      (pid) => isStopped(readFileSync(`/proc/${pid}/stat`, 'utf8')),
      (samples) => {
        const share = samples.filter(({ value }) => value).length / Math.max(1, samples.length);
        return { measures: { [stopped.name]: longestStop(samples), [stoppedShare.name]: share } };
      },
    ),
};

/** Seconds of the longest run of consecutive looks that found it stopped. @param samples in order of time */
export function longestStop(samples: readonly Sample<boolean>[]): number {
  let [longest, since] = [0, null as number | null];
  for (const { at, value } of samples) {
    since = value ? (since ?? at) : null;
    if (since !== null) longest = Math.max(longest, (at - since) / 1000 + everySeconds);
  }
  return longest;
}
