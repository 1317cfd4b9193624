import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { normalExceededBy } from '../../runner/statistics/distributions.ts';
import { medianSpread, spreadWithin, upperSpread } from '../../runner/statistics/spread.ts';

describe('the spread of a pilot', () => {
  // Quantiles of the chi-square distribution as tables have them: 20% and 50%.
  it.each([
    [2, 0.446, 1.386],
    [4, 1.649, 3.357],
    [5, 2.343, 4.351],
    [7, 3.822, 6.346],
    [11, 6.989, 10.341],
  ])('with %i degrees of freedom has the bounds of the chi-square distribution', (degreesOfFreedom, fifth, half) => {
    const found = { standardDeviation: 0.02, degreesOfFreedom };
    expect(Math.abs(upperSpread(found) / (0.02 * Math.sqrt(degreesOfFreedom / fifth)) - 1)).toBeLessThan(0.01);
    expect(Math.abs(medianSpread(found) / (0.02 * Math.sqrt(degreesOfFreedom / half)) - 1)).toBeLessThan(0.01);
  });

  it('is that around the mean of each group, so that what sets groups apart does not count', () => {
    const shifts = fc.array(fc.double({ min: -10, max: 10, noNaN: true }), { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(shifts, ([first = 0, second = 0]) => {
        const groups = [[0.01, 0.02, 0.03].map((value) => value + first), [0.02, 0.04].map((value) => value + second)];
        const found = spreadWithin(groups);
        expect(found?.degreesOfFreedom).toBe(3);
        expect(found?.standardDeviation).toBeCloseTo(Math.sqrt((0.0002 + 0.0002) / 3), 9);
      }),
    );
  });

  it('is not known where no group has two values', () => {
    expect(spreadWithin([])).toBeNull();
    expect(spreadWithin([[0.1], [0.2], []])).toBeNull();
    expect(spreadWithin([[], [0.1, 0.1]])).toEqual({ standardDeviation: 0, degreesOfFreedom: 1 });
  });
});

describe('a normal variate', () => {
  it.each([
    [0.5, 0],
    [0.2, 0.841621],
    [0.025, 1.959964],
    [0.00625, 2.497705],
    [0.0005, 3.290527],
  ])('exceeds with a chance of %d the value of the tables', (chance, value) => {
    expect(Math.abs(normalExceededBy(chance) - value)).toBeLessThan(0.0005);
  });
});
