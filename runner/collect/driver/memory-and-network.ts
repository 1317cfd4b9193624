import { readFileSync } from 'node:fs';
import type { Metric, SeriesRow } from '../../contract/metric.ts';
import type { Collector, Findings } from '../collector.ts';

const shared = { kind: 'bytes', compared: null, better: 'lower' } as const;
const memory: Metric = {
  ...shared,
  name: 'driver.memoryAvailable',
  label: 'driver’s memory available, least',
  unit: 'B',
  better: 'higher',
  source: 'MemAvailable of /proc/meminfo, every second',
};
const network = { ...shared, unit: 'B/s', source: '/proc/net/dev: all interfaces, or lo where the server is there' };
const received: Metric = { ...network, name: 'driver.networkReceived', label: 'driver received per second' };
const sent: Metric = { ...network, name: 'driver.networkSent', label: 'driver sent per second' };

/** Counters at one moment. */
export interface DriverSample {
  /** Monotonic time since some moment. */
  seconds: number;
  memoryAvailable: number;
  received: number;
  sent: number;
}

/**
 * Memory available on the machine of the load generator, and traffic over its network. On Linux only; elsewhere there are no
 * values.
 */
export const memoryAndNetwork: Collector = {
  name: 'memory-and-network',
  optional: true,
  metrics: [memory, received, sent],
  start({ target }) {
    const read = (): DriverSample | null => readSample(isLoopback(target.host));
    const samples = [read()];
    const clock = setInterval(() => samples.push(read()), 1000).unref();
    return Promise.resolve({
      stop() {
        clearInterval(clock);
        samples.push(read());
        return Promise.resolve(findingsOf(samples.filter((sample) => sample !== null)));
      },
    });
  },
};

/**
 * Series: traffic between each two samples, and memory at each sample. Measures of the trial: mean traffic, and least
 * memory.
 */
export function findingsOf(samples: readonly DriverSample[]): Findings {
  const [first] = samples;
  const last = samples.at(-1);
  if (!first || !last || last.seconds <= first.seconds) return {};
  const second = (sample: DriverSample): number => Math.floor(sample.seconds - first.seconds);
  const rates = samples.slice(1).flatMap((sample, index): SeriesRow[] => {
    const before = samples[index] ?? first;
    const seconds = sample.seconds - before.seconds;
    // The last sample comes when the trial ends. A rate over so short a time could be a peak that never was.
    if (seconds < 0.5) return [];
    return [
      { second: second(sample), name: received.name, value: (sample.received - before.received) / seconds },
      { second: second(sample), name: sent.name, value: (sample.sent - before.sent) / seconds },
    ];
  });
  return {
    measures: {
      [memory.name]: Math.min(...samples.map(({ memoryAvailable }) => memoryAvailable)),
      [received.name]: (last.received - first.received) / (last.seconds - first.seconds),
      [sent.name]: (last.sent - first.sent) / (last.seconds - first.seconds),
    },
    series: [
      ...samples.map((sample) => ({ second: second(sample), name: memory.name, value: sample.memoryAvailable })),
      ...rates,
    ],
  };
}

function readSample(loopback: boolean): DriverSample | null {
  try {
    return {
      seconds: performance.now() / 1000,
      memoryAvailable: parseMemory(readFileSync('/proc/meminfo', 'utf8')),
      ...parseNetwork(readFileSync('/proc/net/dev', 'utf8'), loopback),
    };
  } catch {
    return null;
  }
}

/**
 * @returns MemAvailable in bytes
 * @throws if the text does not say it
 */
export function parseMemory(text: string): number {
  const kibibytes = /^MemAvailable:\s+(\d+) kB$/m.exec(text)?.[1];
  if (kibibytes === undefined) throw new Error('no MemAvailable');
  return Number(kibibytes) * 1024;
}

/**
 * Bytes since the interfaces came up, either of lo or of all others. For the columns see
 * https://man7.org/linux/man-pages/man5/proc_net.5.html
 */
export function parseNetwork(text: string, loopback: boolean): { received: number; sent: number } {
  const interfaces = [...text.matchAll(/^\s*([^\s:]+):\s*(.+)$/gm)].filter(([, name]) => (name === 'lo') === loopback);
  const sum = (column: number): number =>
    interfaces.reduce((total, [, , counters = '']) => total + Number(counters.trim().split(/\s+/)[column]), 0);
  return { received: sum(0), sent: sum(8) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.startsWith('127.') || host === '::1' || host.startsWith('/');
}
