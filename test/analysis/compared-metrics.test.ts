import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withDerived } from '../../runner/metrics/value.ts';
import { pgbench } from '../../runner/workloads/pgbench/definition.ts';
import { runsIn } from '../../runner/workloads/pgbench/output/parse-output.ts';
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

  it('of background work are not divided by the transactions of a load that hardly writes', () => {
    const measures = { transactions: 20_000, 'wal.bytes': 60_000, 'wal.fullPageImages': 2 };
    const trials = [1, 31].flatMap((factor, index) =>
      [1, 2, 3, 4, 5, 6].map((block) =>
        trial(['without', 'with'][index] ?? '', block, {
          ...withDerived({ ...measures, transactions: 20_000 / factor, tps: 2000 / factor }, new Map()),
        }),
      ),
    );
    const { comparisons } = compare(trials);
    expect(comparisons.map(({ metric }) => metric)).not.toContain('wal.bytes');
    expect(trials[0]?.measures['wal.bytesPerTransaction']).toBeNull();
    const writing = withDerived({ ...measures, tps: 2000, 'wal.bytes': 6e6 }, new Map());
    expect(writing['wal.bytesPerTransaction']).toBe(300);
  });

  it('read the runtime from transactions and tps where pgbench prints none', () => {
    const trials = [100, 200].map((tps, index) => {
      const [run] = runsIn(pgbenchOutput({ tps, clients: 4, requested: 3000 }));
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
