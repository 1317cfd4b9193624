import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trendOf } from '../../runner/statistics/steadiness.ts';

describe('a trend', () => {
  it('of six values that only fall is a matter of chance in two of 720 orders', () => {
    const trend = trendOf([6, 5, 4, 3, 2, 1]);
    expect(trend?.perStep).toBe(-1);
    expect(trend?.chance).toBeCloseTo(2 / 720, 12);
  });

  it('has the chance that counting all orders gives', () => {
    const orders = permutations([1, 2, 3, 4, 5]);
    const scoreOf = (order: readonly number[]): number =>
      order.reduce((sum, later, at) => sum + order.slice(0, at).reduce((up, one) => up + Math.sign(later - one), 0), 0);
    for (const order of orders) {
      const asClear = orders.filter((other) => Math.abs(scoreOf(other)) >= Math.abs(scoreOf(order)));
      expect(trendOf(order)?.chance).toBeCloseTo(asClear.length / orders.length, 12);
    }
  });

  it('is turned round when the order is, and follows the unit of the values', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 2, maxLength: 12 }), (values) => {
        const trend = trendOf(values);
        const reversed = trendOf(values.toReversed());
        const doubled = trendOf(values.map((value) => 2 * value));
        expect(reversed?.perStep).toBeCloseTo(-(trend?.perStep ?? NaN), 9);
        expect(doubled?.perStep).toBeCloseTo(2 * (trend?.perStep ?? NaN), 9);
        expect([reversed?.chance, doubled?.chance]).toEqual([trend?.chance, trend?.chance]);
        expect(trend?.chance).toBeGreaterThan(0);
        expect(trend?.chance).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is not to be seen in one value, or in equal ones', () => {
    expect(trendOf([1])).toBeNull();
    expect(trendOf([3, 3, 3, 3, 3, 3])?.chance).toBeCloseTo(1, 12);
  });
});

function permutations(values: readonly number[]): number[][] {
  if (values.length <= 1) return [[...values]];
  return values.flatMap((first, at) => permutations(values.toSpliced(at, 1)).map((rest) => [first, ...rest]));
}
