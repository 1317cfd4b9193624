import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secondOf } from '../../runner/collect/collector.ts';
import { ratesOf } from '../../runner/collect/sampler.ts';

const startedAt = new Date('2026-11-22T10:00:00.400Z');
const at = (seconds: number, value: Record<string, number>) => ({ at: startedAt.getTime() + seconds * 1000, value });

test('gives the rate over all samples, and one between each two of them', () => {
  const samples = [at(0, { reads: 10 }), at(1, { reads: 20 }), at(2, { reads: 50 })];
  expect(ratesOf(samples, startedAt)).toEqual({
    measures: { reads: 20 },
    series: [
      { second: 0, name: 'reads', value: 10 },
      { second: 1, name: 'reads', value: 30 },
    ],
  });
});

test('the rest of a second at the end gives no rate of its own', () => {
  const { measures, series } = ratesOf([at(0, { reads: 0 }), at(1, { reads: 10 }), at(1.1, { reads: 22 })], startedAt);
  expect(measures['reads']).toBeCloseTo(20);
  expect(series).toHaveLength(1);
});

test('a counter that was reset, or that was not there before, has no rate', () => {
  expect(ratesOf([at(0, { reads: 5 }), at(1, { reads: 1, writes: 7 })], startedAt).measures).toEqual({});
  expect(ratesOf([at(0, { reads: 5 })], startedAt)).toEqual({ measures: {}, series: [] });
  expect(ratesOf([], startedAt)).toEqual({ measures: {}, series: [] });
});

test('rates in series add up to what was counted', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 50 }), (steps) => {
      let sum = 0;
      const samples = [0, ...steps].map((step, index) => at(index, { reads: (sum += step) }));
      const { series } = ratesOf(samples, startedAt);
      expect(series.reduce((total, { value }) => total + value, 0)).toBeCloseTo(sum);
    }),
  );
});

test('second 0 is the first second after the measured part began, wherever in a second of the clock that was', () => {
  expect([-1, 0, 600, 999, 1000].map((after) => secondOf(startedAt.getTime() + after, startedAt))).toEqual([
    -1, 0, 0, 0, 1,
  ]);
});
