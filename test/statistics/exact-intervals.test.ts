import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { medianInterval } from '../../runner/statistics/exact-interval.ts';
import { median, quantile } from '../../runner/statistics/summaries.ts';
import { hodgesLehmann, signedRankDistribution, signedRankInterval } from '../../runner/statistics/signed-rank.ts';

const smallNumber = fc.integer({ min: -1000, max: 1000 }).map((value) => value / 64);

/** Two-sided p-value by enumeration of all signs, for values of different sizes of which none is zero. */
function signedRankProbability(values: readonly number[]): number {
  const bySize = values.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  const observed = bySize.reduce((sum, value, index) => sum + (value > 0 ? index + 1 : 0), 0);
  const least = Math.min(observed, (values.length * (values.length + 1)) / 2 - observed);
  let asFar = 0;
  for (let signs = 0; signs < 2 ** values.length; signs++) {
    let sum = 0;
    for (let rank = 1; rank <= values.length; rank++) if ((signs >> (rank - 1)) & 1) sum += rank;
    if (sum <= least) asFar++;
  }
  return Math.min(1, (2 * asFar) / 2 ** values.length);
}
const sample = (minLength: number) => fc.array(smallNumber, { minLength, maxLength: 16 });

describe('the signed-rank interval', () => {
  it.each([
    [5, null],
    [6, 0.96875],
    [7, 0.953125],
    [8, 0.9609375],
    [9, 0.9609375],
    [10, 0.951171875],
  ])('of %i values has the exact level %s', (n, level) => {
    const values = Array.from({ length: n }, (_, index) => index);
    expect(signedRankInterval(values, 0.95)?.level ?? null).toBe(level);
  });

  it('and the estimate are the Walsh averages of their ranks', () => {
    fc.assert(
      fc.property(sample(1), fc.constantFrom(0.5, 0.8, 0.95), (values, level) => {
        const averages = values
          .flatMap((one, index) => values.slice(index).map((other) => one / 2 + other / 2))
          .sort((one, other) => one - other);
        expect(hodgesLehmann(values)).toBe(median(averages));
        const interval = signedRankInterval(values, level);
        if (!interval) return;
        const distribution = signedRankDistribution(values.length);
        const rank = [...distribution.keys()].findLast(
          (below) => 2 * distribution.slice(0, below + 1).reduce((sum, one) => sum + one, 0) <= 1 - level + 1e-9,
        );
        expect([interval.low, interval.high]).toEqual([averages[rank ?? -1], averages.at(-1 - (rank ?? 0))]);
      }),
    );
  });

  it('excludes zero exactly when the exact test at its level does, without ties and zeros', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 4000 }), { minLength: 6, maxLength: 14 }),
        fc.infiniteStream(fc.boolean()),
        (sizes, signs) => {
          const values = sizes.map((size) => (signs.next().value ? size : -size));
          const interval = signedRankInterval(values, 0.95);
          const excludes = interval !== null && (interval.low > 0 || interval.high < 0);
          expect(excludes).toBe(interval !== null && signedRankProbability(values) <= 1 - interval.level + 1e-12);
        },
      ),
    );
  });

  it('moves with the values and mirrors with their signs', () => {
    fc.assert(
      fc.property(sample(6), fc.integer({ min: -99, max: 99 }), (values, by) => {
        const interval = signedRankInterval(values, 0.95);
        const moved = signedRankInterval(
          values.map((value) => value + by),
          0.95,
        );
        const mirrored = signedRankInterval(
          values.map((value) => -value),
          0.95,
        );
        expect(moved?.low).toBeCloseTo((interval?.low ?? NaN) + by, 9);
        expect(mirrored?.low).toBeCloseTo(-(interval?.high ?? NaN), 9);
        expect(mirrored?.high).toBeCloseTo(-(interval?.low ?? NaN), 9);
      }),
    );
  });

  it('holds the estimate', () => {
    fc.assert(
      fc.property(sample(6), (values) => {
        const interval = signedRankInterval(values, 0.95);
        const estimate = hodgesLehmann(values);
        expect(interval?.low).toBeLessThanOrEqual(estimate ?? NaN);
        expect(interval?.high).toBeGreaterThanOrEqual(estimate ?? NaN);
      }),
    );
  });

  it('refuses values that are no numbers to add', () => {
    expect(() => signedRankInterval([1, Infinity, 2], 0.95)).toThrow('Infinity among the values');
    expect(() => hodgesLehmann([1, NaN])).toThrow('NaN among the values');
  });
});

describe('null distributions', () => {
  it.each([1, 2, 7, 20, 60])('of the signed rank at n = %i are symmetric and sum to 1', (n) => {
    const distribution = [...signedRankDistribution(n)];
    expect(distribution.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    expect(distribution[0]).toBeCloseTo(2 ** -n, 15);
    expect(distribution).toEqual(distribution.toReversed());
  });
});

describe('other exact methods', () => {
  it('give the median an interval among infinities too', () => {
    expect(medianInterval([-Infinity, 1, 2, 3, 4, Infinity], 0.95)).toEqual({
      low: -Infinity,
      high: Infinity,
      level: 0.96875,
    });
  });
  it('have no median between minus and plus infinity, nor among NaN', () => {
    expect(median([-Infinity, Infinity])).toBeNull();
    expect(() => median([1, NaN])).toThrow(RangeError);
    expect(() => quantile([1], 1.5)).toThrow('probability 1.5');
  });
});
