import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findingsOf, parseMemory, parseNetwork } from '../../runner/collect/driver/memory-and-network.ts';

const meminfo = `MemTotal:       24606728 kB
MemFree:         1015884 kB
MemAvailable:   19456204 kB
SwapFree:              0 kB
`;
const netdev = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 8423122  120313    0    0    0     0          0         0  8423122  120313    0    0    0     0       0          0
  eth0:1000      10    0    0    0     0          0         0     2000      20    0    0    0     0       0          0
  eth1: 1        1    0    0    0     0          0         0        2       1    0    0    0     0       0          0
`;

test('reads the memory that is available, in bytes', () => {
  expect(parseMemory(meminfo)).toBe(19456204 * 1024);
  expect(() => parseMemory('MemTotal: 1 kB\n')).toThrow('no MemAvailable');
});

test('adds up all interfaces but lo, or takes lo alone', () => {
  expect(parseNetwork(netdev, false)).toEqual({ received: 1001, sent: 2002 });
  expect(parseNetwork(netdev, true)).toEqual({ received: 8423122, sent: 8423122 });
});

test('gives the mean rate of the trial and a rate for each second', () => {
  const samples = [0, 1, 2, 2.1].map((seconds) => ({
    ...{ seconds: 100 + seconds, memoryAvailable: 500 - seconds },
    ...{ received: 1000 * seconds, sent: 10 * seconds },
  }));
  const { measures, series = [] } = findingsOf(samples);
  expect(measures?.['driver.memoryAvailable']).toBeCloseTo(497.9);
  expect(measures?.['driver.networkReceived']).toBeCloseTo(1000);
  expect(series.filter(({ name }) => name === 'driver.networkReceived')).toEqual([
    { second: 1, name: 'driver.networkReceived', value: 1000 },
    { second: 2, name: 'driver.networkReceived', value: 1000 },
  ]);
});

test('the mean rate lies between the least and the greatest rate of its seconds', () => {
  const steps = fc.array(fc.record({ seconds: fc.double({ min: 0.6, max: 3, noNaN: true }), bytes: fc.nat(1e9) }), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(steps, (parts) => {
      const samples = [{ seconds: 0, memoryAvailable: 1, received: 0, sent: 0 }];
      for (const { seconds, bytes } of parts) {
        const before = samples.at(-1) ?? { seconds: 0, received: 0 };
        const received = before.received + bytes;
        samples.push({ seconds: before.seconds + seconds, memoryAvailable: 1, received, sent: received });
      }
      const { measures, series = [] } = findingsOf(samples);
      const rates = series.filter(({ name }) => name === 'driver.networkSent').map(({ value }) => value);
      const mean = measures?.['driver.networkSent'] ?? NaN;
      expect(mean).toBeGreaterThanOrEqual(Math.min(...rates) * (1 - 1e-9) - 1e-9);
      expect(mean).toBeLessThanOrEqual(Math.max(...rates) * (1 + 1e-9) + 1e-9);
    }),
  );
});

test('tells nothing where there is nothing to read', () => {
  expect(findingsOf([])).toEqual({});
});
