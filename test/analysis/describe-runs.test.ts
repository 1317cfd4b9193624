import { describe, expect, it } from 'vitest';
import { describeRuns } from '../../runner/analysis/compare-run.ts';
import { reason } from '../../runner/contract/withheld.ts';
import type { Measured } from '../../runner/metrics/value.ts';
import { comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { measured } from '../helpers/samples/measured-trial.ts';

describe('study 1, as published', () => {
  const published = (tps: number, minutes: number, latencyMs: number, writeMs: number, syncMs: number): Measured =>
    measured({
      tps,
      runtime: minutes * 60,
      'latency.average': latencyMs / 1000,
      'wal.writeTime': writeMs / 1000,
      'wal.syncTime': syncMs / 1000,
    });
  const comparisons = describeRuns({
    baselineRuns: [published(6984, 77, 8.8, 56656.796, 4431621.33)],
    candidateRuns: [published(13397, 40, 4.5, 51882.614, 2186910.078)],
    baseline: 'without DLV',
    candidate: 'with DLV',
    pairs: null,
    decision,
    limit: 'transactions',
    obstacle: reason('separate-runs', 'nothing says when these runs were measured'),
  });

  it.each([
    ['runtime', 92.5],
    ['tps', 91.82],
    ['latency.average', 95.56],
    ['wal.writeTime', 9.2],
    ['wal.syncTime', 102.64],
  ])('gives its speed-up of %s: %s percent', (metric, percent) => {
    expect((comparisonBy(comparisons, metric).speedup ?? NaN) * 100).toBeCloseTo(percent, 2);
  });

  it('is descriptive, without an interval', () => {
    const tps = comparisonBy(comparisons, 'tps');
    expect(tps).toMatchObject({
      primary: true,
      verdict: 'descriptive',
      interval: null,
      scope: null,
      withheld: [{ id: 'separate-runs' }],
      method: 'unpaired: medians, no interval, because the runs are not in blocks',
    });
    expect(comparisons.filter(({ verdict }) => verdict !== null)).toEqual([tps]);
  });
});

describe('runs without blocks', () => {
  const runs = (values: readonly (number | null)[]): Measured[] => values.map((tps) => measured({ tps }));
  const before = [100, 101, 99, 102, 98, 100.5];
  const after = [120, 121, 119, 122, 118, 120.5];
  const pairsOf = (before: readonly Measured[], after: readonly Measured[]) =>
    before.flatMap((baseline, index) => {
      const candidate = after[index];
      return candidate ? [{ place: { block: index + 1, attempt: 1 }, baseline, candidate }] : [];
    });
  const describeBoth = (baseline: readonly (number | null)[], candidate: readonly (number | null)[], paired: boolean) =>
    comparisonBy(
      describeRuns({
        baselineRuns: runs(baseline),
        candidateRuns: runs(candidate),
        pairs: paired ? pairsOf(runs(baseline), runs(candidate)) : null,
        baseline: 'old',
        candidate: 'new',
        decision,
        limit: 'time',
        obstacle: reason('separate-runs', 'a reason'),
      }),
      'tps',
    );
  const nothingClaimed = { verdict: 'descriptive', interval: null, withheld: [{ message: 'a reason' }] };

  it('get no interval and no verdict, however many they are and however clear it looks', () => {
    expect(describeBoth(before, after, false)).toMatchObject({ ...nothingClaimed, pairs: [] });
    expect(describeBoth([...before, ...before], [...after, ...after], false)).toMatchObject(nothingClaimed);
  });

  it('are compared by their medians', () => {
    const tps = describeBoth([1, 100, 104], [120, 150, 151, 1000], false);
    expect(tps).toMatchObject({ baseline: { median: 100, n: 3 }, candidate: { median: 150.5, n: 4 } });
    expect(tps.change).toBeCloseTo(0.505, 12);
  });

  it('get none as pairs either: the change is that of their pairs', () => {
    const tps = describeBoth(before, after, true);
    expect(tps).toMatchObject({
      ...nothingClaimed,
      method: 'paired by run: Hodges-Lehmann estimate on log-ratios, no interval: the order was not random',
      pairs: before.map((baseline, index) => ({ block: index + 1, baseline, candidate: after[index] })),
    });
    expect(tps.change).toBeCloseTo(0.2, 2);
  });

  it('leave out a pair of which one run has no value', () => {
    const tps = describeBoth([100, null, 100], [110, 500, 110], true);
    expect(tps.pairs.map(({ block }) => block)).toEqual([1, 3]);
    expect(tps.change).toBeCloseTo(0.1, 12);
  });
});
