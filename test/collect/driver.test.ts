import { cpus } from 'node:os';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CollectedTrial } from '../../runner/collect/collector.ts';
import { driverBetween, processors } from '../../runner/collect/driver/processors.ts';
import { readProcessorTimes } from '../../runner/collect/driver/proc.ts';
import type { Measures } from '../../runner/contract/metric.ts';
import { measuredSince } from '../helpers/samples/measured-part.ts';

vi.mock(import('../../runner/collect/driver/proc.ts'), async (original) => {
  const proc = await original();
  return { ...proc, readProcessorTimes: vi.fn(proc.readProcessorTimes) };
});
afterEach(() => {
  vi.useRealTimers();
});

const before = { wallSeconds: 1000, steadySeconds: 50, busySeconds: 300, processors: 4 };

function between(change: Partial<typeof before>): Measures {
  return driverBetween(before, { ...before, ...change }).measures ?? {};
}

/** What the collector measures during some work. */
async function around(work: () => void): Promise<Measures> {
  const collection = await processors.start?.({} as CollectedTrial);
  work();
  return (await collection?.stop?.(measuredSince(new Date())))?.measures ?? {};
}

describe('the driver between two moments', () => {
  test('was busy for a share of what all its processors had', () => {
    const after = { wallSeconds: 1010, steadySeconds: 60, busySeconds: 310 };
    expect(between(after)).toEqual({ 'driver.busy': 0.25, 'driver.clockStep': 0 });
  });

  test('had its clock set by what wall and steady time differ in, either way', () => {
    const step = (wallSeconds: number) => between({ wallSeconds, steadySeconds: 60 })['driver.clockStep'];
    expect(step(1013)).toBe(3);
    expect(step(1006)).toBe(-4);
  });

  test('was busy for the part of its quota that was used, if that is more', () => {
    const withQuota = (usedSeconds: number) => ({ quotaUse: { usedSeconds, processors: 0.5 } });
    const after = { ...before, steadySeconds: 60, busySeconds: 310 };
    const busy = (used: number) =>
      driverBetween({ ...before, ...withQuota(1) }, { ...after, ...withQuota(used) }).measures?.['driver.busy'];
    expect([busy(2), busy(5)]).toEqual([0.25, 0.8]);
  });

  test('is not judged where no time passed, nor ever busier than wholly', () => {
    expect(between({})['driver.busy']).toBeNull();
    expect(between({ steadySeconds: 51, busySeconds: 305 })['driver.busy']).toBe(1);
  });

  test('is read from its clocks and from what each processor did but to idle', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 0 });
    const times = { ioWait: 7, steal: 8, processors: 2, areSome: false, contextSwitches: 1, runnable: 1 };
    vi.mocked(readProcessorTimes)
      .mockReturnValueOnce({ ...times, user: 0.11, system: 0.025 })
      .mockReturnValueOnce({ ...times, ioWait: 9, user: 3.11, system: 2.025 });
    const measures = await around(() => {
      vi.advanceTimersByTime(10_000);
      vi.setSystemTime(Date.now() + 3000);
    });
    expect(measures['driver.busy']).toBeCloseTo(5 / 20, 9);
    expect(measures['driver.clockStep']).toBeCloseTo(3, 9);
  });

  test('of this machine was busy while this process worked', async () => {
    const measures = await around(() => {
      const start = process.cpuUsage();
      const usedMicros = () => {
        const { user, system } = process.cpuUsage(start);
        return user + system;
      };
      while (usedMicros() < 300_000);
    });
    expect(measures['driver.busy']).toBeGreaterThan(0.5 / cpus().length);
    expect(Math.abs(measures['driver.clockStep'] ?? NaN)).toBeLessThan(0.5);
  });
});
