import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../runner/contract/experiment/schema.ts';
import { completeBlocks } from '../../runner/analysis/pairs.ts';
import { compareTrials, compareUnpaired } from '../../runner/analysis/compare.ts';
import type { Measured } from '../../runner/metrics/catalogue.ts';
import type { Comparison, Trial } from '../../runner/contract/result.ts';
import { measured, trial, unfinishedTrial } from '../helpers/measured-trial.ts';

const decision: Decision = { metric: 'tps', practicalThreshold: 0.05, level: 0.95 };

/** Blocks of two trials, with the throughput of each. */
function blocks(pairs: readonly (readonly [number, number])[]): Trial[] {
  return pairs.flatMap(([before, after], index) => [
    trial('without', index + 1, { tps: before }),
    trial('with', index + 1, { tps: after }),
  ]);
}

function compare(trials: readonly Trial[], overrides: Partial<Parameters<typeof compareTrials>[0]> = {}) {
  return compareTrials({
    trials,
    baseline: 'without',
    variants: ['without', 'with'],
    decision,
    limit: 'time',
    ...overrides,
  });
}

function find(comparisons: readonly Comparison[], metric: string): Comparison {
  const found = comparisons.find((comparison) => comparison.metric === metric);
  if (!found) throw new Error(`no ${metric}`);
  return found;
}

describe('study 1, as published', () => {
  const published = (tps: number, minutes: number, latencyMs: number, writeMs: number, syncMs: number): Measured =>
    measured({
      tps,
      durationSeconds: minutes * 60,
      latencyAverageSeconds: latencyMs / 1000,
      wal: { writeSeconds: writeMs / 1000, syncSeconds: syncMs / 1000 },
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
    expect((find(comparisons, metric).speedup ?? NaN) * 100).toBeCloseTo(percent, 2);
  });

  it('is descriptive, without an interval', () => {
    const tps = find(comparisons, 'tps');
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
    const tps = find(compare(blocks(six)).comparisons, 'tps');
    expect(tps).toMatchObject({ verdict: 'better', scope: 'these-instances', baseline: { n: 6 }, candidate: { n: 6 } });
    expect(tps.interval?.level).toBe(0.96875);
    expect(tps.interval?.low).toBeCloseTo(0.27, 10);
    expect(tps.interval?.high).toBeCloseTo(0.35, 10);
    expect(tps.speedup).toBe(tps.change);
    expect(tps.method).toBe(
      'paired by block: Hodges-Lehmann estimate on log-ratios, exact Wilcoxon signed-rank interval',
    );
  });

  it('of five describe, and say how many are needed', () => {
    const tps = find(compare(blocks(six.slice(0, 5))).comparisons, 'tps');
    expect(tps).toMatchObject({ verdict: 'descriptive', interval: null, baseline: { n: 5 } });
    expect(tps.change).toBeCloseTo(0.305, 2);
    expect(tps.method).toContain('no interval from 5 complete blocks, 6 are needed');
  });

  it('describe where they cannot reach the level that was declared', () => {
    const strict = { ...decision, level: 0.99 };
    expect(find(compare(blocks(six), { decision: strict }).comparisons, 'tps')).toMatchObject({
      verdict: 'descriptive',
      interval: null,
    });
  });

  it('do not count where a trial failed, which is said', () => {
    const trials = [...blocks(six), trial('without', 7, { tps: 9 }), unfinishedTrial('with', 7)];
    const { comparisons, warnings } = compare(trials);
    expect(find(comparisons, 'tps').baseline).toMatchObject({ n: 6, median: 1125 });
    expect(warnings).toEqual(['Block 7 does not count for with against without: block-07-with failed.']);
  });

  it('count with the last finished attempt of a trial that was repeated', () => {
    const trials = [
      ...blocks(six),
      unfinishedTrial('with', 7),
      trial('without', 7, { tps: 9 }),
      trial('with', 7, { tps: 12 }),
    ];
    const { comparisons, warnings } = compare(trials);
    expect(find(comparisons, 'tps').candidate.n).toBe(7);
    expect(warnings).toEqual([]);
  });

  it('that were repeated count with the last attempt that is valid, never with halves of two', () => {
    const attempt = (variant: string, tps: number, number: number, state: 'pass' | 'fail' = 'pass') => ({
      ...trial(variant, 7, { tps }),
      ...(number > 1 ? { attempt: number } : {}),
      checks: [{ name: 'restart or failover', state, finding: '' }],
    });
    const failedTwice = [
      attempt('without', 9, 1),
      { ...unfinishedTrial('with', 7) },
      attempt('without', 10, 2, 'fail'),
      attempt('with', 12, 2),
    ];
    const seventh = (trials: Trial[]) => completeBlocks([...blocks(six), ...trials], 'without', 'with').blocks[6];
    expect(seventh(failedTwice)?.map(({ run }) => run.tps)).toEqual([10, 12]);
    const valid = [...failedTwice, attempt('without', 11, 3), attempt('with', 13, 3)];
    expect(seventh(valid)?.map(({ run }) => run.tps)).toEqual([11, 13]);
    const invalidAgain = [...valid, attempt('without', 1, 4), attempt('with', 1, 4, 'fail')];
    expect(seventh(invalidAgain)?.map(({ run }) => run.tps)).toEqual([11, 13]);
    expect(seventh(failedTwice.slice(0, 3))).toBeUndefined();
  });

  it('never count a run that is not complete', () => {
    const trials = [
      ...blocks(six.slice(0, 5)),
      trial('without', 6, { tps: 9 }),
      trial('with', 6, { tps: 9, complete: false }),
    ];
    expect(compare(trials).warnings).toEqual([
      'Block 6 does not count for with against without: the run of block-06-with is not complete.',
    ]);
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
      },
    ]);
  });

  it('compare every other variant with the baseline', () => {
    const trials = [...blocks(six), ...six.map(([tps], index) => trial('third', index + 1, { tps: tps / 2 }))];
    const { comparisons } = compare(trials, { variants: ['third', 'without', 'with'] });
    expect(comparisons.map(({ candidate, verdict }) => [candidate.variant, verdict])).toEqual([
      ['third', 'worse'],
      ['with', 'better'],
    ]);
  });
});

describe('verdicts at a threshold of 5 %', () => {
  const verdictOf = (ratios: readonly number[], metric: Decision['metric'] = 'tps') => {
    const trials = ratios.flatMap((ratio, index) => [
      trial('without', index + 1, { tps: 1000, latencyAverageSeconds: 0.01 }),
      trial('with', index + 1, { tps: 1000 * ratio, latencyAverageSeconds: 0.01 * ratio }),
    ]);
    return find(compare(trials, { decision: { ...decision, metric } }).comparisons, metric);
  };

  it.each([
    ['better', [1.06, 1.07, 1.08, 1.09, 1.1, 1.11]],
    ['better', [1.01, 1.07, 1.08, 1.09, 1.1, 1.11]],
    ['worse', [0.9, 0.91, 0.92, 0.93, 0.94, 0.95]],
    ['equivalent', [0.99, 1.0, 1.01, 0.98, 1.02, 1.0]],
    ['equivalent', [1.01, 1.02, 1.03, 1.02, 1.01, 1.02]],
    ['inconclusive', [0.9, 1.1, 1.0, 1.2, 0.95, 1.05]],
  ])('%s for ratios of %j', (verdict, ratios) => {
    expect(verdictOf(ratios).verdict).toBe(verdict);
  });

  it('turn round for a metric of which less is better', () => {
    expect(verdictOf([1.06, 1.07, 1.08, 1.09, 1.1, 1.11], 'latency.average').verdict).toBe('worse');
  });

  it('mirror when the sides are exchanged', () => {
    const mirrored = { better: 'worse', worse: 'better', equivalent: 'equivalent', inconclusive: 'inconclusive' };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 80, max: 125 }), { minLength: 6, maxLength: 12 }), (percents) => {
        const there = verdictOf(percents.map((percent) => percent / 100)).verdict;
        const back = verdictOf(percents.map((percent) => 100 / percent)).verdict;
        expect(back).toBe(mirrored[there as keyof typeof mirrored]);
      }),
    );
  });

  it('tell with an inconclusive one how many blocks would settle it', () => {
    const settled = verdictOf([0.9, 1.1, 1.0, 1.2, 0.95, 1.05]).blocksToSettle;
    // The interval is ln(1.2 / 0.9) wide, the threshold ln 1.05: 5.9 times as wide, so 34.8 times as many blocks.
    expect(settled).toBe(209);
    expect(verdictOf([1.06, 1.07, 1.08, 1.09, 1.1, 1.11])).not.toHaveProperty('blocksToSettle');
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

describe('metrics', () => {
  it('take totals per transaction where trials are limited by time, and as they are otherwise', () => {
    const shape = { tps: 100, transactions: 2000, wal: { writeSeconds: 4, bytes: 8000 } };
    const trials = [trial('without', 1, shape), trial('with', 1, shape)];
    expect(find(compare(trials).comparisons, 'wal.writeTime')).toMatchObject({
      unit: 's/transaction',
      baseline: { median: 0.002 },
    });
    expect(find(compare(trials, { limit: 'transactions' }).comparisons, 'wal.bytes')).toMatchObject({
      unit: 'B',
      baseline: { median: 8000 },
    });
  });

  it('read the runtime from transactions and tps where pgbench prints none', () => {
    const trials = [
      trial('without', 1, { tps: 100, transactions: 3000 }),
      trial('with', 1, { tps: 200, transactions: 3000 }),
    ];
    const runtime = find(compare(trials, { limit: 'transactions' }).comparisons, 'runtime');
    expect(runtime).toMatchObject({ baseline: { median: 30 }, candidate: { median: 15 } });
    expect(runtime.change).toBeCloseTo(-0.5, 12);
    expect(runtime.speedup).toBeCloseTo(1, 12);
    expect(compare(trials).comparisons.map(({ metric }) => metric)).not.toContain('runtime');
  });

  it('are left out where no trial tells them', () => {
    expect(compare(blocks([[1, 2]])).comparisons.map(({ metric }) => metric)).toEqual(['tps']);
  });

  it('of zero are compared by differences, relative to the baseline’s median', () => {
    const trials = [0, 0.2, 0.1, 0.3, 0.2, 0.2].flatMap((seconds, index) => [
      trial('without', index + 1, { tps: 10, wal: { writeSeconds: 1 } }),
      trial('with', index + 1, { tps: 10, wal: { writeSeconds: seconds } }),
    ]);
    const time = find(compare(trials, { limit: 'transactions' }).comparisons, 'wal.writeTime');
    expect(time.change).toBeCloseTo(-0.8, 12);
    expect(time.interval).toMatchObject({ low: -1, level: 0.96875 });
    expect(time.method).toContain('a value of zero has no ratio');
  });

  it('of zero on both sides have no change', () => {
    const trials = [1, 2, 3, 4, 5, 6].flatMap((block) => [
      trial('without', block, { tps: 10, wal: { writeSeconds: 0 } }),
      trial('with', block, { tps: 10, wal: { writeSeconds: 0 } }),
    ]);
    expect(find(compare(trials, { limit: 'transactions' }).comparisons, 'wal.writeTime')).toMatchObject({
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
        const trials = pairs.flatMap(([before, after], index) => [
          trial('without', index + 1, { tps: before }),
          trial('with', index + 1, { tps: after }),
        ]);
        const { comparisons } = compare(trials);
        expect(JSON.parse(JSON.stringify(comparisons))).toEqual(comparisons);
      }),
      { examples: [[signlessZero]] },
    );
  });
});

describe('runs without blocks', () => {
  const runs = (values: readonly number[]): Measured[] => values.map((tps) => measured({ tps }));
  const unpaired = (before: readonly number[], after: readonly number[], confounded: string | null = null) =>
    find(
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

  it('of six a side give the exact Mann-Whitney interval', () => {
    const tps = unpaired(before, after);
    expect(tps.verdict).toBe('better');
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
