import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pgbench } from '../../runner/workloads/pgbench/definition.ts';
import { parseOutput } from '../../runner/workloads/pgbench/output/parse-output.ts';
import { blocksOf, compare, comparisonBy } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';
import { pgbenchOutput } from '../helpers/samples/pgbench-output.ts';

describe('metrics', () => {
  it('take totals per transaction where trials are limited by time, and as they are otherwise', () => {
    const measures = { tps: 100, transactions: 2000, 'wal.writeTime': 4, 'wal.bytes': 8000 };
    const trials = [trial('without', 1, measures), trial('with', 1, measures)];
    expect(comparisonBy(compare(trials).comparisons, 'wal.writeTime')).toMatchObject({
      unit: 's/transaction',
      baseline: { median: 0.002 },
    });
    expect(comparisonBy(compare(trials, { limit: 'transactions' }).comparisons, 'wal.bytes')).toMatchObject({
      unit: 'B',
      baseline: { median: 8000 },
    });
  });

  it('read the runtime from transactions and tps where pgbench prints none', () => {
    const trials = [100, 200].map((tps, index) => {
      const [run] = parseOutput(pgbenchOutput({ tps, clients: 4, requested: 3000 }), 'stdout.log');
      if (!run) throw new Error('no run');
      return trial(['without', 'with'][index] ?? '', 1, pgbench.measuresOf(run).measures);
    });
    const runtime = comparisonBy(compare(trials, { limit: 'transactions' }).comparisons, 'runtime');
    expect(runtime).toMatchObject({ baseline: { median: 30 }, candidate: { median: 15 } });
    expect(runtime.change).toBeCloseTo(-0.5, 12);
    expect(runtime.speedup).toBeCloseTo(1, 12);
    expect(compare(trials).comparisons.map(({ metric }) => metric)).not.toContain('runtime');
  });

  it('are left out where no trial tells them', () => {
    expect(compare(blocksOf([[1, 2]])).comparisons.map(({ metric }) => metric)).toEqual(['tps']);
  });

  it('of zero are compared by differences, relative to the baseline’s median', () => {
    const trials = [0, 0.2, 0.1, 0.3, 0.2, 0.2].flatMap((seconds, index) => [
      trial('without', index + 1, { tps: 10, 'wal.writeTime': 1 }),
      trial('with', index + 1, { tps: 10, 'wal.writeTime': seconds }),
    ]);
    const time = comparisonBy(compare(trials, { limit: 'transactions' }).comparisons, 'wal.writeTime');
    expect(time.change).toBeCloseTo(-0.8, 12);
    expect(time.interval).toMatchObject({ low: -1, level: 0.96875 });
    expect(time.method).toContain('a value of zero has no ratio');
    expect(time.pairs.map(({ change }) => change?.toFixed(2))).toEqual([
      '-1.00',
      '-0.80',
      '-0.90',
      '-0.70',
      '-0.80',
      '-0.80',
    ]);
  });

  it('of zero on both sides have no change', () => {
    const trials = [1, 2, 3, 4, 5, 6].flatMap((block) => [
      trial('without', block, { tps: 10, 'wal.writeTime': 0 }),
      trial('with', block, { tps: 10, 'wal.writeTime': 0 }),
    ]);
    expect(comparisonBy(compare(trials, { limit: 'transactions' }).comparisons, 'wal.writeTime')).toMatchObject({
      baseline: { median: 0, n: 6 },
      change: null,
      speedup: null,
      interval: null,
    });
  });

  it('never put a number into JSON that is none, whatever was measured', () => {
    const tps = fc.oneof(fc.constantFrom(null, 0, 1e-300, 1e300), fc.double({ min: 0, noNaN: true }));
    const signlessZero: [number, number][] = [
      [0, 0],
      [1e300, 0],
      [2, 1e300],
      [1e-323, 0],
      [2, 0],
      [1e300, 0],
      [0, 1e300],
    ];
    fc.assert(
      fc.property(fc.array(fc.tuple(tps, tps), { maxLength: 9 }), (pairs) => {
        const { comparisons } = compare(blocksOf(pairs));
        expect(JSON.parse(JSON.stringify(comparisons))).toEqual(comparisons);
      }),
      { examples: [[signlessZero]] },
    );
  });
});
