import { existsSync, readFileSync } from 'node:fs';
import type { Metric } from '../../contract/metric.ts';
import { absent } from '../ask-of-each.ts';
import type { Collector } from '../collector.ts';
import { type Sample, type Sampler, startSampler } from '../sampler.ts';
import { isStopped } from './proc.ts';

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
