import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Metric } from '../../contract/metric.ts';
import { absent } from '../absent.ts';
import type { Collector, Findings } from '../collector.ts';
import { type Counters, ratesOf, type Sample, type Sampler, startSampler } from '../sampler.ts';
import { isStopped, parseContextSwitches, parseProcessStat } from './proc.ts';

const source = '/proc/PID/task of the load generator, every second';
const shown = { better: 'lower', compared: null, source } as const;
const processors: Metric = {
  ...shown,
  name: 'driver.loadGeneratorProcessors',
  label: 'processors that the load generator kept busy',
  unit: '1',
  kind: 'rate',
};
const busy: Metric = {
  ...shown,
  name: 'driver.loadGeneratorBusy',
  label: 'load generator’s threads busy',
  unit: '1',
  kind: 'share',
  source: `${source}: its processor time as a share of one processor per thread; near 1, it is at its limit`,
};
const voluntary: Metric = {
  ...shown,
  name: 'driver.loadGeneratorWaits',
  label: 'load generator gave up its processor, per second',
  unit: '1/s',
  kind: 'rate',
  source: `${source}: voluntary context switches`,
};
const involuntary: Metric = {
  ...shown,
  name: 'driver.loadGeneratorPreemptions',
  label: 'load generator lost its processor, per second',
  unit: '1/s',
  kind: 'rate',
  source: `${source}: involuntary context switches`,
};

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
  start(trial) {
    let sampler: Sampler<LoadSample> | null = null;
    let ended = false;
    void trial.loadProcess.then((pid) => {
      // When the process is gone, the sampler ends by itself.
      if (!ended) sampler = startSampler(1, () => readLoad(pid));
    });
    return Promise.resolve({
      async stop({ startedAt }) {
        ended = true;
        if (!existsSync('/proc/self/task')) return absent(loadGenerator.name, 'only Linux reports what a process does');
        if (!sampler) return absent(loadGenerator.name, 'the load generator is not a process of its own');
        return findingsOf((await sampler.stop()).samples, startedAt);
      },
      async abandon() {
        ended = true;
        await sampler?.stop();
      },
    });
  },
};

/** @param samples in order of time */
export function findingsOf(samples: readonly Sample<LoadSample>[], startedAt: Date): Findings {
  const { measures, series } = ratesOf(
    samples.map(({ at, value }) => ({ at, value: value.counters })),
    startedAt,
  );
  const rate = measures[processors.name];
  if (rate === undefined) return absent(loadGenerator.name, 'the load was too short for two looks at it');
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

const stopped: Metric = {
  name: 'load.stopped',
  label: 'load generator was stopped for',
  unit: 's',
  kind: 'duration',
  better: 'lower',
  compared: null,
  hidden: true,
  source:
    'the longest time in which every look at /proc/PID/stat of the load generator, four per second, found it stopped',
};

const stoppedShare: Metric = {
  name: 'load.stoppedShare',
  label: 'load generator was stopped',
  unit: '1',
  kind: 'share',
  better: 'lower',
  compared: null,
  hidden: true,
  source: 'the share of looks at /proc/PID/stat of the load generator, four per second, that found it stopped',
};

/**
 * Whether somebody stopped the process of the load generator, on Linux only. In its own reports, a stop looks the same
 * as a server that keeps it waiting for a connection.
 */
export const loadStops: Collector = {
  name: 'load-stops',
  optional: false,
  metrics: [stopped, stoppedShare],
  start(trial) {
    let sampler: Sampler<boolean> | null = null;
    let ended = false;
    void trial.loadProcess.then((pid) => {
      // When the process is gone, the sampler ends by itself.
      if (!ended) sampler = startSampler(everySeconds, () => isStopped(readFileSync(`/proc/${pid}/stat`, 'utf8')));
    });
    return Promise.resolve({
      async stop() {
        ended = true;
        if (!existsSync('/proc/self/stat')) return absent(loadStops.name, 'only Linux reports what a process does');
        if (!sampler) return absent(loadStops.name, 'the load generator is not a process of its own');
        const { samples } = await sampler.stop();
        const share = samples.filter(({ value }) => value).length / Math.max(1, samples.length);
        return { measures: { [stopped.name]: longestStop(samples), [stoppedShare.name]: share } };
      },
      async abandon() {
        ended = true;
        await sampler?.stop();
      },
    });
  },
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
