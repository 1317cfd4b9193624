import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { timeKinds, timeMetricName, timeMetrics } from '../../runner/metrics/transaction-time.ts';
import type { Measures } from '../../runner/contract/metric.ts';

const timeOf = (kind: (typeof timeKinds)[number]['kind'], measures: Measures): number =>
  timeMetrics.find(({ name }) => name === timeMetricName(kind))?.derive?.(measures) ?? NaN;

describe('the time of a transaction', () => {
  // One client, a millisecond each, of which the server works 0.9 ms; the sampler saw every second moment as idle.
  const oneClient = {
    tps: 1000,
    'client.turn': 0.001,
    'waits.active': 0.5,
    'waits.idle': 0.5,
    'waits.sessions.CPU': 0.5,
  };

  it('is work for at least as long as the processes of its sessions took processors', () => {
    const measures = { ...oneClient, 'server.sessions': 0.9, 'server.processors': 0.95, 'driver.busy': 0.6 };
    expect(timeOf('cpu', measures)).toBeCloseTo(0.0009, 6);
    expect(timeOf('client', measures)).toBeCloseTo(0.0001, 6);
  });

  it('is what the samples say where the processes took no more, or where workers did', () => {
    expect(timeOf('client', { ...oneClient, 'server.sessions': 0.5 })).toBeCloseTo(0.0005, 6);
    expect(timeOf('client', { ...oneClient, 'server.sessions': 1.4, 'waits.workers': 0.9 })).toBeCloseTo(0.0005, 6);
    expect(timeOf('client', oneClient)).toBeCloseTo(0.0005, 6);
  });

  it('is what the samples say where autovacuum worked, whether or not the server counts what it did', () => {
    const vacuumed = { ...oneClient, 'server.sessions': 0.9, 'waits.vacuums': 0.2 };
    expect(timeOf('client', vacuumed)).toBeCloseTo(0.0005, 6);
    const worked = { ...oneClient, 'server.sessions': 0.9, 'waits.vacuums': 0 };
    for (const autovacuums of [null, 0, 1])
      expect(timeOf('client', { ...worked, 'database.autovacuums': autovacuums })).toBeCloseTo(0.0001, 6);
  });

  it('is the sum of its kinds, none of them below zero, whatever processes took', () => {
    const share = fc.double({ min: 0, max: 8, noNaN: true });
    fc.assert(
      fc.property(share, share, share, share, share, (cpu, locks, idle, working, workers) => {
        fc.pre(cpu + locks + idle > 0.01);
        const measures = {
          tps: 100,
          'client.turn': 0.01 * (cpu + locks + idle),
          'waits.active': cpu + locks,
          'waits.idle': idle,
          'waits.workers': workers,
          'waits.sessions.CPU': cpu,
          'waits.sessions.Lock:transactionid': locks,
          'server.sessions': working,
          'server.processors': working,
          'driver.busy': 0.5,
        };
        const times = timeKinds.map(({ kind }) => timeOf(kind, measures));
        expect(Math.min(...times)).toBeGreaterThanOrEqual(-1e-12);
        expect(times.reduce((sum, time) => sum + time, 0)).toBeCloseTo(measures['client.turn'], 9);
      }),
    );
  });
});
