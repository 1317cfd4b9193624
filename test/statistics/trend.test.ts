import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trendOf } from '../../runner/statistics/trend.ts';

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

  it('of a thousand values, the most that an experiment has blocks, has a chance close to that of a normal score', () => {
    const [count, score] = [1000, 12_000];
    const trend = trendOf(withScore(count, score));
    const deviation = Math.sqrt((count * (count - 1) * (2 * count + 5)) / 18);
    expect(trend?.chance).toBeCloseTo(normalTails((score - 1) / deviation), 3);
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

/** The numbers from 1 on in an order of which this many more pairs rise than fall. */
function withScore(count: number, score: number): number[] {
  let inversions = ((count * (count - 1)) / 2 - score) / 2;
  const order: number[] = [];
  for (let value = 1; value <= count; value++) {
    const before = Math.min(inversions, order.length);
    inversions -= before;
    order.splice(order.length - before, 0, value);
  }
  return order;
}

/** Chance that a standard normal variate is at least this far from zero: the integral of its density, by small steps. */
function normalTails(limit: number): number {
  const width = 0.001;
  let inside = 0;
  for (let at = -limit + width / 2; at < limit; at += width) inside += Math.exp(-(at ** 2) / 2) * width;
  return 1 - inside / Math.sqrt(2 * Math.PI);
}
