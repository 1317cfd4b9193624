import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CollectedTrial } from '../../../runner/collect/collector.ts';
import { findingsOf, machine, type MachineSample } from '../../../runner/collect/driver/machine.ts';
import { measuredSince } from '../../helpers/samples/measured-part.ts';

const startedAt = new Date('2026-11-22T10:00:00.000Z');
const sample = (seconds: number, value: Partial<MachineSample>) => ({
  at: startedAt.getTime() + seconds * 1000,
  value: { counters: {}, memoryAvailable: 500, runnable: 1, ...value },
});

describe('the machine in a trial', () => {
  it('had the least of its memory, and the mean of what is counted', () => {
    const { measures = {}, series = [] } = findingsOf(
      [
        sample(-0.1, { memoryAvailable: 1, counters: { 'driver.networkSent': 0, 'driver.user': 10 } }),
        sample(0.9, {
          memoryAvailable: 400,
          runnable: 2,
          counters: { 'driver.networkSent': 1000, 'driver.user': 10.4 },
        }),
        sample(1.9, { runnable: 4, counters: { 'driver.networkSent': 4000, 'driver.user': 11.4 } }),
        sample(2, { runnable: 3, counters: { 'driver.networkSent': 4200, 'driver.user': 11.45 } }),
      ],
      startedAt,
    );
    expect(measures['driver.memoryAvailable']).toBe(400);
    expect(measures['driver.runQueue']).toBe(3);
    expect(measures['driver.networkSent']).toBeCloseTo(2000);
    expect(measures['driver.user']).toBeCloseTo(1.45 / 2.1);
    expect(series.filter(({ name }) => name === 'driver.networkSent')).toEqual([
      { second: 0, name: 'driver.networkSent', value: 1000 },
      { second: 1, name: 'driver.networkSent', value: 3000 },
    ]);
  });

  it('was never busier than wholly, although ticks are coarse', () => {
    const { measures = {}, series = [] } = findingsOf(
      [sample(0, { counters: { 'driver.user': 0 } }), sample(1, { counters: { 'driver.user': 1.01 } })],
      startedAt,
    );
    expect([measures['driver.user'], series[0]?.value]).toEqual([1, 1]);
  });

  it('tells nothing where there is nothing to read', () => {
    expect(findingsOf([], startedAt)).toEqual({});
  });

  it.runIf(existsSync('/proc/stat'))('is read from this machine', async () => {
    const trial = { target: { host: '127.0.0.1' } } as unknown as CollectedTrial;
    const began = new Date();
    const collection = await machine.start?.(trial);
    await sleep(50);
    const { measures = {} } = (await collection?.stop?.(measuredSince(began))) ?? {};
    expect(Object.keys(measures)).toEqual(expect.arrayContaining(['driver.memoryAvailable', 'driver.runQueue']));
    expect(measures['driver.memoryAvailable']).toBeGreaterThan(2 ** 20);
    expect(measures['driver.contextSwitches']).toBeGreaterThan(0);
  });
});
