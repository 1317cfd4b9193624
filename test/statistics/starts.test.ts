import { describe, expect, test } from 'vitest';
import { chanceOfGroups, predictionInterval } from '../../runner/statistics/groups.ts';
import { studentLimit, studentTails } from '../../runner/statistics/distributions.ts';

describe('Student’s t', () => {
  // qt(0.975, df) and qt(0.995, df) of R.
  test.each([
    [0.05, 1, 12.7062],
    [0.05, 2, 4.302653],
    [0.05, 4, 2.776445],
    [0.05, 19, 2.093024],
    [0.01, 3, 5.840909],
  ])('is exceeded with a chance of %d at %d degrees of freedom from %d on', (chance, freedom, limit) => {
    expect(studentLimit(chance, freedom)).toBeCloseTo(limit, 3);
    expect(studentTails(limit, freedom)).toBeCloseTo(chance, 5);
  });
});

test('from eight values on, the next is expected within the mean plus and minus t times s times the root of 1 + 1/n', () => {
  // By hand: mean 4.5, s √6, and t(7) 2.364624 of R.
  const found = predictionInterval([1, 2, 3, 4, 5, 6, 7, 8], 0.95);
  expect(found?.low).toBeCloseTo(4.5 - 2.364624 * Math.sqrt(6 * (1 + 1 / 8)), 3);
  expect(found?.high).toBeCloseTo(4.5 + 2.364624 * Math.sqrt(6 * (1 + 1 / 8)), 3);
  expect(found?.level).toBe(0.95);
});

test('of fewer values only the range is known, with its own chance of holding the next', () => {
  expect(predictionInterval([2, 1, 3], 0.95)).toEqual({ low: 1, high: 3, level: 0.5 });
  expect(predictionInterval([2, 1, 3, 9], 0.95)).toEqual({ low: 1, high: 9, level: 0.6 });
  expect(predictionInterval([1, 2], 0.95)).toBeNull();
});

test.each([0.5, 0.75, 8 / 9])(
  'the next value is held as often as stated where %d of all values come from one of two modes',
  (share) => {
    for (const count of [3, 4, 7, 8, 12]) {
      // Every number of values from the second mode, with its chance.
      let held = 0;
      let level = 0;
      for (let others = 0; others <= count; others++) {
        const values = Array.from({ length: count }, (_, index) => (index < others ? 1 : 0) + index * 1e-9);
        const found = predictionInterval(values, 0.95) ?? { low: NaN, high: NaN, level: NaN };
        level = found.level;
        const holds = (mode: number): number => (found.low - 1e-6 <= mode && mode <= found.high + 1e-6 ? 1 : 0);
        const chance = binomial(count, others) * (1 - share) ** others * share ** (count - others);
        held += chance * (share * holds(0) + (1 - share) * holds(1));
      }
      expect(held).toBeGreaterThanOrEqual(level);
    }
  },
);

function binomial(n: number, k: number): number {
  return Array.from({ length: k }, (_, index) => (n - index) / (index + 1)).reduce((product, one) => product * one, 1);
}

describe('the chance of groups', () => {
  test('is small for groups that do not overlap, and large for groups that are alike', () => {
    // Exactly: 2 * 3! * 3! / 6! = 0.1 for two groups of three.
    const apart = chanceOfGroups([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(apart).toBeGreaterThan(0.08);
    expect(apart).toBeLessThan(0.12);
    expect(
      chanceOfGroups([
        [1, 2, 3, 4, 5, 6],
        [11, 12, 13, 14, 15, 16],
        [21, 22, 23, 24, 25, 26],
      ]),
    ).toBeLessThan(0.001);
    expect(
      chanceOfGroups([
        [1, 4, 5],
        [2, 3, 6],
      ]),
    ).toBeGreaterThan(0.5);
  });

  test('is none for one group, and 1 where all values are equal', () => {
    expect(chanceOfGroups([[1, 2, 3]])).toBeNull();
    expect(
      chanceOfGroups([
        [1, 1],
        [1, 1],
      ]),
    ).toBe(1);
  });
});
