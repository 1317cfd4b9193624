import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Metric } from '../../contract/metric.ts';
import { absent } from '../ask-of-each.ts';
import type { Collector, Findings } from '../collector.ts';
import { type Counters, ratesOf, type Sample, type Sampler, startSampler } from '../sampler.ts';
import { parseContextSwitches, parseProcessStat } from './proc.ts';

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
  source: `${source}: its processor time, divided by the time of one processor for each of its threads; near 1, it is at its limit`,
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
