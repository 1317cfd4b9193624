import { expect, it } from 'vitest';
import type { Trial } from '../../runner/contract/trial.ts';
import { withinThreshold } from '../../runner/analysis/totals.ts';
import { blocksThatSettle } from '../../runner/analysis/verdict.ts';
import { compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

const metric = 'latency.withinLimit';
const declared = { ...decision, metric, practicalThreshold: 0.001 };

function verdictOf(pairs: readonly (readonly [number, number])[], practicalThreshold = 0.001) {
  const trials = pairs.flatMap(([before, after], index): Trial[] => [
    trial('without', index + 1, { [metric]: before, transactions: 1000, 'transactions.skipped': 0 }),
    trial('with', index + 1, { [metric]: after, transactions: 1000, 'transactions.skipped': 900 }),
  ]);
  const { comparisons } = compare(trials, { decision: { ...declared, practicalThreshold } });
  return comparisonBy(comparisons, metric);
}

const blocks = (before: number, after: number): [number, number][] =>
  Array.from({ length: 8 }, (_, index) => [before - index * 1e-5, after - index * 2e-5]);

it('is compared in points, and worse where it falls from all to nearly all, which no ratio of late shares could say', () => {
  const found = verdictOf(blocks(1, 0.98).map(([, after]) => [1, after]));
  expect(found).toMatchObject({ verdict: 'worse', speedup: null });
  expect(found.change).toBeCloseTo(-0.02, 3);
  expect(found.interval?.high).toBeLessThan(-0.0199);
});

it('is equivalent where no side has a late transaction', () => {
  expect(verdictOf(blocks(1, 1).map(() => [1, 1]))).toMatchObject({ verdict: 'equivalent', change: 0 });
});

it('takes the threshold as a difference, the same up and down', () => {
  expect(verdictOf(blocks(0.9995, 0.9991)).verdict).toBe('equivalent');
  expect(verdictOf(blocks(0.9995, 0.9991), 0.0001).verdict).toBe('worse');
  expect(withinThreshold({ low: -0.05, high: 0.05 }, 0.05, 'difference')).toBe(true);
  expect(withinThreshold({ low: -0.05, high: 0.05 }, 0.05)).toBe(false);
});

it('is not equivalent where one trial in eight loses far more, though the typical one does not', () => {
  const once = blocks(0.9995, 0.9995).map(([before, after], index): [number, number] => [
    before,
    index === 3 ? 0.5 : after,
  ]);
  expect(verdictOf(once).verdict).not.toBe('equivalent');
});

it('tells how many blocks settle it by the spread of the differences', () => {
  const changes = [-0.001, 0.003, -0.002, 0.004, 0.002, -0.001];
  const estimate = { method: '', change: 0.001, interval: { low: -0.002, high: 0.003, level: 0.97 } };
  const options = { level: 0.95, practicalThreshold: 0.001, exchanges: 0 } as const;
  const found = blocksThatSettle(estimate, changes, { ...options, compared: 'difference' });
  expect(found).toBeGreaterThan(6);
  // A hundred times as many points, against a hundred times the threshold, take as many blocks.
  const [wide, wider] = [changes.map((one) => one * 100), { low: -0.2, high: 0.3, level: 0.97 }];
  expect(
    blocksThatSettle({ ...estimate, change: 0.1, interval: wider }, wide, {
      ...options,
      practicalThreshold: 0.1,
      compared: 'difference',
    }),
  ).toBe(found);
});
