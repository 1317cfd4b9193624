import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeFamily } from '../../runner/analysis/family.ts';
import { powerOf } from '../../runner/analysis/blocks-needed.ts';
import { median, quantile, variance } from '../../runner/statistics/summaries.ts';
import { binomialInterval } from '../../runner/statistics/distributions.ts';
import { scanForChanges } from '../../runner/statistics/change-scan.ts';
import { type Interval, medianInterval } from '../../runner/statistics/exact-interval.ts';
import { hodgesLehmann, signedRankInterval } from '../../runner/statistics/signed-rank.ts';
import { mser5 } from '../../runner/statistics/steady-state.ts';

interface Reference {
  oneSample: Record<
    string,
    {
      values: number[];
      median: number | null;
      variance: number | null;
      quartiles: [number, number] | null;
      hodgesLehmann: number | null;
      signedRankInterval95: Interval | null;
      signedRankInterval99: Interval | null;
      medianInterval95: Interval | null;
      signedRankP: number | null;
    }
  >;
  quantiles: { values: (number | string)[]; probability: number; quantile: number | string }[];
  changes: { series: number[]; fewest: number; steps: Record<string, number>; ramps: Record<string, number> }[];
  power: { effect: number; standardDeviation: number; blocks: number; power: number }[];
  binomial: { successes: number; trials: number; level: number; low: number; high: number }[];
  holm: { pValues: number[]; adjusted: number[] }[];
  mser5: { series: number[]; cut: number | null }[];
}

/** Made by reference_values.py with SciPy; the README beside it says how. */
const reference = JSON.parse(
  readFileSync(new URL('../fixtures/statistics/reference-values.json', import.meta.url), 'utf8'),
) as Reference;

function expectNumber(actual: number | null | undefined, expected: number | null): void {
  if (expected === null || actual === null || actual === undefined) expect(actual ?? null).toBe(expected);
  else expect(actual).toBeCloseTo(expected, 10);
}

function expectInterval(actual: Interval | null, expected: Interval | null): void {
  expect(actual === null).toBe(expected === null);
  for (const key of ['low', 'high', 'level'] as const) expectNumber(actual?.[key], expected?.[key] ?? null);
}

describe.each(Object.entries(reference.oneSample))('one sample: %s', (_, expected) => {
  const { values } = expected;
  it('has the median, variance and quartiles of NumPy', () => {
    expectNumber(median(values), expected.median);
    expectNumber(variance(values), expected.variance);
    expectNumber(quantile(values, 0.25), expected.quartiles?.[0] ?? null);
    expectNumber(quantile(values, 0.75), expected.quartiles?.[1] ?? null);
  });
  it('has the Hodges-Lehmann estimate and its exact intervals', () => {
    expectNumber(hodgesLehmann(values), expected.hodgesLehmann);
    expectInterval(signedRankInterval(values, 0.95), expected.signedRankInterval95);
    expectInterval(signedRankInterval(values, 0.99), expected.signedRankInterval99);
  });
  it('has the order-statistic interval of the median', () => {
    expectInterval(medianInterval(values, 0.95), expected.medianInterval95);
  });
  // Tied sizes and zeros widen the interval, so that it may hold zero although the test is sure.
  const distinct = new Set(values.map(Math.abs)).size === values.length && !values.includes(0);
  it.runIf(distinct)(
    'has intervals that exclude zero exactly where SciPy’s p-value is at most what their level leaves',
    () => {
      for (const level of [0.6, 0.8, 0.9, 0.95, 0.99]) {
        const interval = signedRankInterval(values, level);
        const left = 1 - (interval?.level ?? 1);
        const excludes = interval !== null && (interval.low > 0 || interval.high < 0);
        expect(excludes).toBe(interval !== null && (expected.signedRankP ?? 1) <= left + 1e-12);
      }
    },
  );
});

describe('other reference values', () => {
  it.each(reference.quantiles)(
    'quantile $probability of $values is NumPy’s',
    ({ values, probability, ...expected }) => {
      expect(quantile(values.map(Number), probability)).toBeCloseTo(Number(expected.quantile), 10);
    },
  );
  it.each(reference.changes)('steps and ramps of $series are as likely as by NumPy’s least squares', (of) => {
    const found = scanForChanges(of.series, of.fewest);
    for (const [shape, expected] of [['step', of.steps] as const, ['ramp', of.ramps] as const]) {
      const own = found.filter((change) => change.shape === shape);
      expect(own.map(({ index }) => String(index))).toEqual(Object.keys(expected));
      for (const { index, likelihoodRatio } of own) expect(likelihoodRatio).toBeCloseTo(expected[index] ?? NaN, 8);
    }
  });
  it.each(reference.power)(
    '$blocks blocks find $effect at $standardDeviation with SciPy’s power',
    ({ power, ...of }) => {
      // Both values are simulated: 20,000 experiments there and 2,000 here leave a standard error of a percentage point. With
      // so small a threshold, better is an interval above zero.
      const design = {
        decision: { level: 0.95, practicalThreshold: 1e-9 },
        exchanges: 0,
        widest: null,
        comparisons: 1,
      };
      const simulated = powerOf({ effect: of.effect, verdict: 'better' }, of.blocks, of.standardDeviation, design);
      expect(Math.abs(simulated - power)).toBeLessThan(0.03);
    },
  );
  it.each(reference.binomial)(
    '$successes of $trials has SciPy’s exact interval',
    ({ successes, trials, level, ...expected }) => {
      const interval = binomialInterval(successes, trials, level);
      expectNumber(interval?.low, expected.low);
      expectNumber(interval?.high, expected.high);
    },
  );
  it.each(reference.holm)('a family of $pValues differs where Holm’s adjustment is at most the error', (of) => {
    for (const error of [0.01, 0.02, 0.05, 0.1, 0.5]) {
      // An interval of a level excludes zero where the p-value is at most what the level leaves.
      const judged = judgeFamily(
        of.pValues.map((pValue) => ({
          level: 1 - error,
          estimateAt: (level: number) => {
            const low = pValue <= 1 - level + 1e-12 ? 0.1 : -0.1;
            return { method: '', change: 0.2, interval: { low, high: 0.5, level } };
          },
        })),
      );
      expect(judged.map(({ differs }) => differs)).toEqual(of.adjusted.map((adjusted) => adjusted <= error + 1e-12));
    }
  });
  it.each(reference.mser5)('MSER-5 cuts $cut', ({ series, cut }) => {
    expect(mser5(series)).toBe(cut);
  });
});
