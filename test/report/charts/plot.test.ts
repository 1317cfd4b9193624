import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clampToRange } from '../../../runner/report/charts/axes.ts';
import { apart, mark, pathOf, widthOf } from '../../../runner/report/charts/plot.ts';
import { variantStyle } from '../../../runner/report/charts/colours.ts';

const number = (size: number) => fc.double({ min: -size, max: size, noNaN: true });

describe('a value that does not count', () => {
  it('at most doubles the reach of the axis to either side, and keeps its place where it fits', () => {
    fc.assert(
      fc.property(fc.array(number(1e6), { minLength: 1 }), number(1e9), (counted, value) => {
        const [low, high] = [Math.min(...counted), Math.max(...counted)];
        const reach = high > low ? high - low : Math.abs(high) / 10;
        const drawn = clampToRange(counted)(value);
        expect(drawn).toBeGreaterThanOrEqual(low - reach);
        expect(drawn).toBeLessThanOrEqual(high + reach);
        if (value >= low - reach && value <= high + reach) expect(drawn).toBe(value);
      }),
    );
    expect(clampToRange([])(12_000)).toBe(12_000);
  });

  it('has a hollow mark', () => {
    expect(mark([1, 2], variantStyle(0), { isHollow: true }).text).toMatch(/fill="none" stroke="var\(--series-1\)"/);
  });
});

it('labels are moved until no two are on each other, and none leaves the picture above', () => {
  const label = fc.record({
    words: fc.string({ maxLength: 12 }),
    at: fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 8, max: 200 })),
  });
  fc.assert(
    fc.property(fc.array(label, { maxLength: 12 }), (labels) => {
      const placed = apart(labels);
      expect(placed).toHaveLength(labels.length);
      for (const [index, one] of placed.entries()) {
        expect(one.at[1]).toBeGreaterThanOrEqual(8);
        for (const other of placed.slice(index + 1)) {
          const across = Math.abs(one.at[0] - other.at[0]) - (widthOf(one.words) + widthOf(other.words)) / 2;
          expect(across >= 0 || Math.abs(one.at[1] - other.at[1]) >= 14).toBe(true);
        }
      }
    }),
  );
});

it('a line has a gap where it has no point, and a dot for a point alone', () => {
  expect(pathOf([[0, 1], [2, 3.04], null, [4, 5], null])).toBe('M0,1L2,3M4,5z'); // prettier-ignore
});
