import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  averaged,
  cadenceOf,
  coarser,
  mediansOf,
  maxPoints,
  secondsPerStep,
} from '../../../runner/report/timeline/thinning.ts';

const value = fc.double({ min: 0, max: 1e6, noNaN: true });
const steps = fc.array(fc.option(value), { minLength: 1, maxLength: 60 });

describe('the steps of a clock', () => {
  it('are at most as many as a picture can show, for a trial of any length', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), (seconds) => {
        const step = secondsPerStep(seconds);
        expect(Math.ceil(seconds / step)).toBeLessThanOrEqual(maxPoints);
        if (seconds <= maxPoints) expect(step).toBe(1);
      }),
    );
  });

  it('hold the mean of the seconds in them, which lies between the least and the most', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 100 }), fc.integer({ min: 1, max: 9 }), (values, step) => {
        const points = values.map((own, second) => ({ second, value: own }));
        const found = averaged(points, { step, steps: Math.ceil(values.length / step) });
        for (const [at, mean] of found.entries()) {
          const own = values.slice(at * step, (at + 1) * step);
          expect(mean).toBeGreaterThanOrEqual(Math.min(...own) * (1 - 1e-12));
          expect(mean).toBeLessThanOrEqual(Math.max(...own) * (1 + 1e-12));
        }
      }),
    );
  });

  it('have no value where nothing was measured, and keep a zero that was', () => {
    const points = [
      { second: 0, value: 5 },
      { second: 2, value: 0 },
      { second: 9, value: 7 },
      { second: -1, value: 7 },
    ];
    expect(averaged(points, { step: 1, steps: 4 })).toEqual([5, null, 0, null]);
  });

  it('can be made coarser without losing a gap', () => {
    expect(coarser([1, 3, null, null, 8], 2)).toEqual([2, null, 8]);
    fc.assert(
      fc.property(steps, (values) => {
        expect(coarser(values, 1)).toEqual(values);
      }),
    );
  });
});

describe('the medians of trials', () => {
  it('are a gap where fewer than half of the trials have a value: one trial that hangs draws no line of its own', () => {
    expect(
      mediansOf([
        [10, 10],
        [12, 12],
        [11, 11, 0, 0],
      ]),
    ).toEqual([11, 11, null, null]);
  });

  it('are values between those of the trials', () => {
    fc.assert(
      fc.property(fc.array(steps, { minLength: 1, maxLength: 6 }), (trials) => {
        for (const [at, middle] of mediansOf(trials).entries()) {
          const known = trials.flatMap((values) => values[at] ?? []);
          if (middle === null) expect(known.length * 2 < trials.length || known.length === 0).toBe(true);
          else {
            expect(middle).toBeGreaterThanOrEqual(Math.min(...known) * (1 - 1e-12));
            expect(middle).toBeLessThanOrEqual(Math.max(...known) * (1 + 1e-12));
          }
        }
      }),
    );
  });
});

describe('the cadence of a source', () => {
  it('is its usual distance, whatever is missing', () => {
    const at = (seconds: number[]) => seconds.map((second) => ({ second, value: 1 }));
    expect(cadenceOf(at([0, 1, 2, 7, 8]))).toBe(1);
    expect(cadenceOf(at([30, 90, 150]))).toBe(60);
    expect(cadenceOf(at([3]))).toBe(Infinity);
  });
});
