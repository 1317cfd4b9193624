import { cpus } from 'node:os';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CollectedTrial } from '../../runner/collect/collector.ts';
import { driverBetween, processors } from '../../runner/collect/driver/processors.ts';
import type { Measures } from '../../runner/contract/metric.ts';
import { measuredSince } from '../helpers/samples/measured-part.ts';

vi.mock('node:os', async (original) => {
  const os = await original<typeof import('node:os')>();
  return { ...os, cpus: vi.fn(os.cpus) };
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

  test('is not judged where no time passed, nor ever busier than wholly', () => {
    expect(between({})['driver.busy']).toBeNull();
    expect(between({ steadySeconds: 51, busySeconds: 305 })['driver.busy']).toBe(1);
  });

  test('is read from its clocks and from what each processor did but to idle', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 0 });
    const processor = { model: '', speed: 0, times: { user: 100, nice: 10, sys: 20, irq: 5, idle: 900 } };
    const worked = { ...processor, times: { user: 2100, nice: 1010, sys: 1020, irq: 1005, idle: 900 } };
    vi.mocked(cpus).mockReturnValueOnce([processor, processor]).mockReturnValueOnce([processor, worked]);
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
