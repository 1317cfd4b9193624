import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sharesOf, tolerance, weightsOf } from '../../../../runner/workloads/own-data/from-server/weights.ts';
import { repeats } from '../../../helpers/repeats.ts';

const statement = fc.record({
  calls: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 10_000_000 })),
  seconds: fc.double({ min: 1e-6, max: 1e5, noNaN: true }),
});
const statements = fc.array(statement, { minLength: 1, maxLength: 128 });

it('keeps each share of calls, and of time, within two points', () => {
  fc.assert(
    fc.property(statements, (load) => {
      const weights = weightsOf(load);
      const then = sharesOf(weights);
      const seconds = load.map((one, index) => (one.seconds / one.calls) * (weights[index] ?? 0));
      for (const [before, after] of [
        [sharesOf(load.map(({ calls }) => calls)), then],
        [sharesOf(load.map((one) => one.seconds)), sharesOf(seconds)],
      ] as const) {
        for (const [index, share] of before.entries())
          expect(Math.abs(share - (after[index] ?? 0))).toBeLessThanOrEqual(tolerance + 1e-12);
      }
    }),
    { numRuns: repeats(2000) },
  );
});

it('gives whole weights that pgbench takes, without a common divisor', () => {
  fc.assert(
    fc.property(statements, (load) => {
      const weights = weightsOf(load);
      expect(weights.every((one) => Number.isInteger(one) && one >= 1 && one < 2 ** 31)).toBe(true);
      for (const divisor of [2, 3, 5, 7]) expect(weights.every((one) => one % divisor === 0)).toBe(false);
    }),
    { numRuns: repeats(1000) },
  );
});

it('takes the smallest weights that do', () => {
  const alike = (...calls: number[]) => weightsOf(calls.map((one) => ({ calls: one, seconds: one })));
  expect(alike(500, 500)).toEqual([1, 1]);
  expect(alike(7010, 2990)).toEqual([7, 3]);
  // One call of seconds is a large part of the time.
  expect(
    weightsOf([
      { calls: 9999, seconds: 1 },
      { calls: 1, seconds: 1 },
    ]),
  ).toEqual([9999, 1]);
  expect(weightsOf([])).toEqual([]);
});
