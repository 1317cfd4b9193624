import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clampToRange } from '../../../runner/report/charts/clamp.ts';

const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1 });

test('what does not count at most doubles the reach of the axis to either side, and keeps its place where it fits', () => {
  fc.assert(
    fc.property(values, fc.double({ min: -1e9, max: 1e9, noNaN: true }), (counted, value) => {
      const [low, high] = [Math.min(...counted), Math.max(...counted)];
      const reach = high > low ? high - low : Math.abs(high) / 10;
      const drawn = clampToRange(counted)(value);
      expect(drawn).toBeGreaterThanOrEqual(low - reach);
      expect(drawn).toBeLessThanOrEqual(high + reach);
      if (value >= low - reach && value <= high + reach) expect(drawn).toBe(value);
    }),
  );
});

test('where nothing counts every value is drawn where it is', () => {
  expect(clampToRange([])(12_000)).toBe(12_000);
});
