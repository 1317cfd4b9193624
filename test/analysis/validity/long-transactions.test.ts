import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../bench/statistics/noise.ts';
import type { TrialContext } from '../../../runner/analysis/validity/check.ts';
import { checkTrial } from '../../../runner/analysis/validity/judge-validity.ts';
import { typicalTransactionSeconds } from '../../../runner/analysis/validity/transaction-seconds.ts';
import type { Check } from '../../../runner/contract/check.ts';
import type { Measures } from '../../../runner/contract/metric.ts';
import { withDerived } from '../../../runner/metrics/value.ts';
import { placeNamed } from '../../../runner/places/registry.ts';
import { asSeries } from '../../../runner/storage/series.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';
import { recordSample } from '../../helpers/samples/sample-result.ts';

interface Load {
  clients: number;
  durationSeconds: number;
  /** The transactions of each client, in their order. */
  latencies: readonly (readonly number[])[];
}

/** Each client does one transaction after another, and ends with the first that ends after the time of the trial. */
function run({ clients, durationSeconds, latencyOf }: Omit<Load, 'latencies'> & { latencyOf: () => number }): Load {
  const latencies = Array.from({ length: clients }, () => {
    const own: number[] = [];
    for (let elapsed = 0; elapsed < durationSeconds; elapsed += own.at(-1) ?? 0) own.push(latencyOf());
    return own;
  });
  return { clients, durationSeconds, latencies };
}

/** What pgbench says of such a run, and its series. */
function checked({ clients, durationSeconds, latencies }: Load, changes: Measures = {}): Check[] {
  const all = latencies.flat();
  const ends = latencies.flatMap((own) => own.map((_, index) => sum(own.slice(0, index + 1))));
  const seconds = Math.max(...ends);
  const mean = sum(all) / all.length;
  const tps = all.length / seconds;
  const rows = Array.from({ length: Math.ceil(seconds) }, (_, second) => {
    const ended = all.filter((_one, index) => Math.floor(ends[index] ?? NaN) === second);
    return [
      { second, name: 'tps', value: ended.length },
      ...(ended.length > 0 ? [{ second, name: 'latency.average', value: sum(ended) / ended.length }] : []),
    ];
  }).flat();
  const series = asSeries(rows);
  const between = [0, ...ends.toSorted((one, other) => one - other)];
  const measures = withDerived(
    {
      tps,
      transactions: all.length,
      'transactions.failed': 0,
      'latency.average': mean,
      'latency.stddev': Math.sqrt(sum(all.map((one) => (one - mean) ** 2)) / all.length),
      'client.turn': clients / tps,
      'progress.gap': 1,
      'progress.silence': Math.max(...between.slice(1).map((end, index) => end - (between[index] ?? 0))) - 1,
      'load.processSeconds': seconds,
      'driver.runnerStall': 0,
      'driver.runnerProcessors': 0.01,
      ...changes,
    },
    series,
  );
  const warmUpStartedAt = '2026-11-28T12:00:00Z';
  const at = (after: number): string => new Date(Date.parse(warmUpStartedAt) + after * 1000).toISOString();
  const { definition } = recordSample({}).run.experiment;
  const context: TrialContext = {
    experiment: { ...definition, protocol: { ...definition.protocol, warmUpSeconds: 1, phaseSeconds: 0 } },
    place: placeNamed('local'),
    settings: {},
    shape: { clients, limit: 'time', transactions: null, durationSeconds, offeredPerSecond: null },
    loadedBytes: null,
    series,
  };
  const warmUp = Math.max(1, latencies[0]?.[0] ?? 1);
  const times = { warmUpStartedAt, startedAt: at(warmUp + 0.5), endedAt: at(warmUp + 0.5 + seconds) };
  return checkTrial(trial('a', 1, measures, times), context);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function troubles(checks: readonly Check[]): string[] {
  return checks.flatMap(({ name, state, finding }) =>
    state === 'fail' || state === 'warn' ? [`${name}: ${finding}`] : [],
  );
}

/** Geometric mean over many trials, in which B is twice as fast as A, of what a trial says of their ratio. */
function ratios({ mean, spread, durationSeconds }: { mean: number; spread: number; durationSeconds: number }) {
  const random = seededRandom(20261128);
  const trials = 3000;
  let [throughput, latency] = [0, 0];
  for (let trial = 0; trial < trials; trial++) {
    const [slow, fast] = [mean, mean / 2].map((own) => {
      const latencyOf = (): number => own * (1 + spread * (2 * random() - 1));
      const { latencies } = run({ clients: 4, durationSeconds, latencyOf });
      const all = latencies.flat();
      return { tps: all.length / Math.max(...latencies.map(sum)), latency: sum(all) / all.length };
    });
    if (!slow || !fast) throw new Error('two sides');
    throughput += Math.log(fast.tps / slow.tps) / trials;
    latency += Math.log(slow.latency / fast.latency) / trials;
  }
  return { throughput: Math.exp(throughput), latency: Math.exp(latency) };
}

describe('transactions that take long', () => {
  it('make throughput depend on where the time of a trial cuts them, but not the average latency', () => {
    const short = ratios({ mean: 3, spread: 0.5, durationSeconds: 5 });
    expect(short.throughput).toBeGreaterThan(2.1);
    expect(short.latency).toBeCloseTo(2, 1);
    const long = ratios({ mean: 3, spread: 0.5, durationSeconds: 60 });
    expect(long.throughput).toBeCloseTo(2, 1);
    expect(long.latency).toBeCloseTo(2, 1);
  });

  it('are no stall: 2.4 s each, in trials of 5 s', () => {
    const found = checked(run({ clients: 4, durationSeconds: 5, latencyOf: () => 2.4 }));
    expect(troubles(found)).toEqual([]);
    expect(found.find(({ id }) => id === 'length-of-the-trial')?.finding).toBe(
      '7.2 s (planned: 5 s), because a transaction takes up to 2.4 s',
    );
  });

  it('are no stall, however long they take beside the trial, and however many clients there are', () => {
    const load = fc.record({
      clients: fc.integer({ min: 1, max: 64 }),
      durationSeconds: fc.integer({ min: 1, max: 60 }),
      latency: fc.double({ min: 0.5, max: 60, noNaN: true }),
    });
    fc.assert(
      fc.property(load, ({ latency, ...rest }) => {
        expect(troubles(checked(run({ ...rest, latencyOf: () => latency })))).toEqual([]);
      }),
    );
  });

  it('do not hide a stall among transactions that are short', () => {
    const { latencies, ...load } = run({ clients: 4, durationSeconds: 5, latencyOf: () => 0.01 });
    const stalled = latencies.map((own) => own.with(-1, 6));
    const found = checked({ ...load, latencies: stalled });
    expect(troubles(found)).toContainEqual(expect.stringMatching(/^trial duration: 11\.0 s .* something stalled$/));
    expect(troubles(found)).toContainEqual(expect.stringMatching(/^stalls: no transaction ended for 5\.0 s of 11 s/));
  });

  it('take what their mean, deviation and slowest script say, but not what they waited for a schedule', () => {
    expect(typicalTransactionSeconds({})).toBe(0);
    expect(typicalTransactionSeconds({ 'latency.average': 2 })).toBe(2);
    expect(typicalTransactionSeconds({ 'latency.average': 2, 'latency.stddev': 0.5 })).toBe(3);
    const mix = { 'latency.average': 0.05, 'latency.stddev': 0.5, 'latency.average@report': 5 };
    expect(typicalTransactionSeconds(mix)).toBe(5);
    expect(typicalTransactionSeconds({ 'latency.average': 4, 'latency.stddev': 3, 'lag.average': 3.5 })).toBe(0.5);
  });

  it('leave clients waiting at the end, which is not the driver’s time', () => {
    const latencies = [
      [2, 2, 2],
      [2, 2, 1.5],
      [3, 6],
    ];
    const found = checked({ clients: 3, durationSeconds: 5, latencies });
    expect(found.find(({ id }) => id === 'client-time')).toMatchObject({
      state: 'pass',
      finding: expect.stringContaining('waited for the last transactions of others') as string,
    });
  });
});
