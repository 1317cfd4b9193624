import { describe, expect, it } from 'vitest';
import { compareUnpaired } from '../../runner/analysis/compare.ts';
import { countedBlocks } from '../../runner/analysis/pairs.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import type { Measured } from '../../runner/metrics/value.ts';
import { blocksOf, compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { measured, trial, unfinishedTrial } from '../helpers/samples/measured-trial.ts';

describe('study 1, as published', () => {
  const published = (tps: number, minutes: number, latencyMs: number, writeMs: number, syncMs: number): Measured =>
    measured({
      tps,
      runtime: minutes * 60,
      'latency.average': latencyMs / 1000,
      'wal.writeTime': writeMs / 1000,
      'wal.syncTime': syncMs / 1000,
    });
  const comparisons = compareUnpaired({
    baselineRuns: [published(6984, 77, 8.8, 56656.796, 4431621.33)],
    candidateRuns: [published(13397, 40, 4.5, 51882.614, 2186910.078)],
    baseline: 'without DLV',
    candidate: 'with DLV',
    decision,
    limit: 'transactions',
    confounded: null,
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
    expect(tps).toMatchObject({ primary: true, verdict: 'descriptive', interval: null });
    expect(tps.method).toBe('unpaired: from the medians; no interval from 1 against 1 run, 6 are needed');
    expect(comparisons.filter(({ verdict }) => verdict !== null)).toEqual([tps]);
  });
});

describe('blocks', () => {
  const six = [1.3, 1.28, 1.31, 1.35, 1.27, 1.33].map(
    (ratio, index) => [1000 + 50 * index, (1000 + 50 * index) * ratio] as const,
  );

  it('of six give the exact interval of log-ratios and its exact level', () => {
    const tps = comparisonBy(compare(blocksOf(six)).comparisons, 'tps');
    expect(tps).toMatchObject({ verdict: 'better', scope: 'these-instances', baseline: { n: 6 }, candidate: { n: 6 } });
    expect(tps.interval?.level).toBe(0.96875);
    expect(tps.interval?.low).toBeCloseTo(0.27, 10);
    expect(tps.interval?.high).toBeCloseTo(0.35, 10);
    expect(tps.speedup).toBe(tps.change);
    expect(tps.method).toBe(
      'paired by block: Hodges-Lehmann estimate on log-ratios, exact Wilcoxon signed-rank interval',
    );
  });

  it('are kept with the comparison as the pairs that it used', () => {
    const { pairs } = comparisonBy(compare(blocksOf(six)).comparisons, 'tps');
    const expected = six.map(([baseline, candidate], index) => ({
      ...{ block: index + 1, attempt: 1, baseline, candidate },
      change: expect.closeTo(candidate / baseline - 1, 12) as number,
    }));
    expect(pairs).toEqual(expected);
  });

  it('of five describe, and say how many are needed', () => {
    const tps = comparisonBy(compare(blocksOf(six.slice(0, 5))).comparisons, 'tps');
    expect(tps).toMatchObject({ verdict: 'descriptive', interval: null, baseline: { n: 5 } });
    expect(tps.change).toBeCloseTo(0.305, 2);
    expect(tps.method).toContain('no interval from 5 complete blocks, 6 are needed');
  });

  it('describe where they cannot reach the level that was declared', () => {
    const strict = { ...decision, level: 0.99 };
    expect(comparisonBy(compare(blocksOf(six), { decision: strict }).comparisons, 'tps')).toMatchObject({
      verdict: 'descriptive',
      interval: null,
    });
  });

  it('do not count where a trial failed, which is said', () => {
    const trials = [...blocksOf(six), trial('without', 7, { tps: 9 }), unfinishedTrial('with', 7)];
    const { comparisons, warnings } = compare(trials);
    expect(comparisonBy(comparisons, 'tps').baseline).toMatchObject({ n: 6, median: 1125 });
    expect(warnings).toEqual(['Block 7 does not count for with against without: block-07-1-with failed.']);
  });

  it('count where a trial was finished after all, in the same attempt or in a later one', () => {
    for (const attempt of [1, 2]) {
      const trials = [
        ...blocksOf(six),
        unfinishedTrial('with', 7),
        trial('without', 7, { tps: 9 }, { attempt }),
        trial('with', 7, { tps: 12 }, { attempt }),
      ];
      const { comparisons, warnings } = compare(trials);
      expect(comparisonBy(comparisons, 'tps').candidate.n).toBe(7);
      expect(comparisonBy(comparisons, 'tps').pairs[6]).toMatchObject({ block: 7, attempt, candidate: 12 });
      expect(warnings).toEqual([]);
    }
  });

  it('that were repeated count with the last attempt that is valid, never with halves of two', () => {
    const attempt = (variant: string, tps: number, number: number, state: 'pass' | 'fail' = 'pass') =>
      trial(variant, 7, { tps }, { attempt: number, checks: [{ name: 'restart or failover', state, finding: '' }] });
    const failedTwice = [
      attempt('without', 9, 1),
      unfinishedTrial('with', 7),
      attempt('without', 10, 2, 'fail'),
      attempt('with', 12, 2),
    ];
    const seventh = (trials: Trial[]) => {
      const sides = { baseline: 'without', candidate: 'with', level: {} };
      const block = countedBlocks([...blocksOf(six), ...trials], sides).blocks[6];
      return block && [block.baseline, block.candidate].map(({ measures }) => measures['tps']);
    };
    expect(seventh(failedTwice)).toEqual([10, 12]);
    const valid = [...failedTwice, attempt('without', 11, 3), attempt('with', 13, 3)];
    expect(seventh(valid)).toEqual([11, 13]);
    const invalidAgain = [...valid, attempt('without', 1, 4), attempt('with', 1, 4, 'fail')];
    expect(seventh(invalidAgain)).toEqual([11, 13]);
    expect(seventh(failedTwice.slice(0, 3))).toBeUndefined();
  });

  it('missing altogether leave the declared metric, without numbers', () => {
    expect(compare([]).comparisons).toMatchObject([
      {
        metric: 'tps',
        change: null,
        speedup: null,
        interval: null,
        verdict: 'descriptive',
        baseline: { median: null, n: 0 },
        pairs: [],
      },
    ]);
  });

  it('compare every other variant with the baseline', () => {
    const trials = [...blocksOf(six), ...six.map(([tps], index) => trial('third', index + 1, { tps: tps / 2 }))];
    const { comparisons } = compare(trials, { variants: ['third', 'without', 'with'] });
    expect(comparisons.map(({ candidate, verdict }) => [candidate.variant, verdict])).toEqual([
      ['third', 'worse'],
      ['with', 'better'],
    ]);
  });

  it('of several levels are compared each among themselves, and described only', () => {
    const levels = [{ clients: 8 }, { clients: 16 }];
    const trials = levels.flatMap((level, place) =>
      six.flatMap(([before, after], index) => [
        trial('without', index + 1, { tps: before }, { level }),
        trial('with', index + 1, { tps: after * (1 + place) }, { level }),
      ]),
    );
    const { comparisons } = compare(trials, { levels });
    expect(comparisons.map(({ conditions, verdict }) => [conditions, verdict])).toEqual(
      levels.map((level) => [level, 'descriptive']),
    );
    const [few, many] = comparisons.map(({ change }) => change ?? NaN);
    expect(few).toBeCloseTo(0.306, 2);
    expect(many).toBeCloseTo(1.612, 2);
    expect(comparisons[1]?.method).toContain('described only: one of several levels (16 clients)');
  });
});

describe('contrasts', () => {
  it('compare two candidates block by block, without verdict', () => {
    const trials = [1, 2, 3, 4, 5, 6].flatMap((block) => [
      trial('without', block, { tps: 100 }),
      trial('with', block, { tps: 150 }),
      trial('larger', block, { tps: 200 + block }),
    ]);
    const { comparisons } = compare(trials, {
      variants: ['without', 'with', 'larger'],
      contrasts: [{ baseline: 'larger', candidate: 'with' }],
    });
    const tps = comparisons.filter(({ metric }) => metric === 'tps');
    expect(tps.map(({ baseline, candidate }) => [baseline.variant, candidate.variant])).toEqual([
      ['without', 'with'],
      ['without', 'larger'],
      ['larger', 'with'],
    ]);
    expect(tps[2]).toMatchObject({ primary: false, verdict: null });
    expect(tps[2]?.interval?.high).toBeLessThan(0);
  });
});

describe('runs without blocks', () => {
  const runs = (values: readonly number[]): Measured[] => values.map((tps) => measured({ tps }));
  const unpaired = (before: readonly number[], after: readonly number[], confounded: string | null = null) =>
    comparisonBy(
      compareUnpaired({
        baselineRuns: runs(before),
        candidateRuns: runs(after),
        baseline: 'old',
        candidate: 'new',
        decision,
        limit: 'time',
        confounded,
      }),
      'tps',
    );
  const before = [100, 101, 99, 102, 98, 100.5];
  const after = [120, 121, 119, 122, 118, 120.5];

  it('of six a side give the exact Mann-Whitney interval, of no pairs', () => {
    const tps = unpaired(before, after);
    expect(tps).toMatchObject({ verdict: 'better', pairs: [] });
    expect(tps.interval?.level).toBeCloseTo(0.9588744589, 9);
    expect(tps.method).toContain('Mann-Whitney');
  });

  it('of fewer on either side describe', () => {
    expect(unpaired(before.slice(1), after)).toMatchObject({
      verdict: 'descriptive',
      interval: null,
      baseline: { n: 5 },
    });
  });

  it('describe where time alone could explain them', () => {
    const tps = unpaired(before, after, 'every run of old came before every run of new');
    expect(tps).toMatchObject({ verdict: 'descriptive', interval: null });
    expect(tps.method).toContain('every run of old came before every run of new');
  });
});
