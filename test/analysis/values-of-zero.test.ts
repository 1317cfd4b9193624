import fc from 'fast-check';
import { expect, it } from 'vitest';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import { centresOf } from '../../runner/analysis/side-values.ts';
import { isFamily, memberOf, type Metric } from '../../runner/contract/metric.ts';
import { catalogue } from '../../runner/metrics/catalogue.ts';

const compared = catalogue
  .filter((metric) => metric.compared !== null)
  .map((metric) => (isFamily(metric) ? memberOf(metric, 'part') : metric));

/** Zeros, ties, and values of very different sizes, as the metric may have them. */
function valuesFor({ kind }: Metric): fc.Arbitrary<number> {
  const most = kind === 'share' ? 1 : 1e6;
  return fc.oneof(
    fc.constantFrom(0, 0, most / 4, most / 2),
    fc.double({ min: 0, max: most, noNaN: true }).map((value) => (value < 1e-9 ? 0 : value)),
  );
}

const by = (metric: Metric): NonNullable<Metric['compared']> => metric.compared ?? 'ratio';
const estimate = (pairs: { baseline: number; candidate: number }[], metric: Metric) => {
  const found = estimatePaired(pairs, by(metric), { level: 0.95 });
  return { ...found, ...centresOf(pairs, found.change, by(metric), metric.kind) };
};
const exchanged = (pairs: { baseline: number; candidate: number }[]) =>
  pairs.map(({ baseline, candidate }) => ({ baseline: candidate, candidate: baseline }));

it.each(compared.map((metric) => [metric.name, metric] as const))(
  'zeros never make an impossible number of %s, and exchanging the sides mirrors it',
  (_, metric) => {
    const isDifference = metric.compared === 'difference';
    const value = valuesFor(metric);
    const mirrored = (change: number): number => (isDifference ? -change : 1 / (1 + change) - 1);
    const near = (one: number | null, other: number | null): void => {
      if (one === null || other === null) expect(one).toBe(other);
      else expect(Math.abs(one - other)).toBeLessThanOrEqual(1e-6 * Math.max(Math.abs(one), Math.abs(other), 1e-9));
    };
    fc.assert(
      fc.property(
        fc.array(fc.record({ baseline: value, candidate: value }), { minLength: 1, maxLength: 9 }),
        (pairs) => {
          const found = estimate(pairs, metric);
          const other = estimate(exchanged(pairs), metric);
          const { change, interval, baseline, candidate } = found;
          for (const side of [baseline, candidate]) {
            expect(side).toBeGreaterThanOrEqual(0);
            expect(side).toBeLessThanOrEqual(metric.kind === 'share' ? 1 : Infinity);
          }
          for (const one of [change, interval?.low ?? null, interval?.high ?? null]) {
            if (one === null) continue;
            expect(Number.isFinite(one)).toBe(true);
            expect(one).toBeGreaterThanOrEqual(-1);
            if (!isDifference) expect(one).toBeGreaterThan(-1);
            else if (metric.kind === 'share') expect(one).toBeLessThanOrEqual(1);
          }
          if (interval !== null) {
            expect(interval.low).toBeLessThanOrEqual(change ?? NaN);
            expect(interval.high).toBeGreaterThanOrEqual(change ?? NaN);
          }
          near(other.change, change === null ? null : mirrored(change));
          near(other.interval?.low ?? null, interval ? mirrored(interval.high) : null);
          near(other.interval?.high ?? null, interval ? mirrored(interval.low) : null);
          near(other.baseline, candidate);
          near(other.candidate, baseline);
          if (change !== null)
            near(candidate, isDifference ? (baseline ?? NaN) + change : (baseline ?? NaN) * (1 + change));
        },
      ),
      { numRuns: 60, seed: 52 },
    );
  },
);

const times = (baseline: number[], candidate: number[]) =>
  baseline.map((value, index) => ({ baseline: value, candidate: candidate[index] ?? NaN }));
const ratio = { compared: 'ratio', kind: 'latency' } as Metric;

it('one zero in six moves the estimate no more than a value close to zero, and leaves the interval without an end', () => {
  const baseline = [24.7, 25, 24, 26, 25, 24];
  const withZero = estimate(times(baseline, [25, 24, 26, 25, 0, 24.5]), ratio);
  const close = estimate(times(baseline, [25, 24, 26, 25, 1e-9, 24.5]), ratio);
  expect(withZero.change).toBeCloseTo(close.change ?? NaN, 9);
  expect(withZero.interval).toBeNull();
  expect(withZero.method).toContain('values of zero leave it unbounded');
  const eight = estimate(times([...baseline, 25, 25], [25, 24, 26, 25, 0, 24.5, 26, 25]), ratio);
  expect(eight.interval).toBeNull();
  const many = estimate(times(Array<number>(12).fill(25), [0, ...Array<number>(11).fill(26)]), ratio);
  expect(many.interval?.low).toBeGreaterThan(-0.05);
});

it('zeros in half of the blocks leave no change, and neither do zeros on both sides or values below zero', () => {
  expect(estimate(times([5, 5, 5, 5], [5, 5, 0, 0]), ratio)).toMatchObject({
    change: null,
    baseline: 5,
    candidate: 2.5,
  });
  expect(estimate(times([0, 0], [0, 0]), ratio)).toMatchObject({ change: null, baseline: 0, candidate: 0 });
  expect(estimate(times([5, 5, -1], [5, 5, 5]), ratio)).toMatchObject({ change: null, interval: null });
});
