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

test('the next value is expected within the mean plus and minus t times s times the root of 1 + 1/n', () => {
  // By hand: mean 2, s 1, t(2) 4.302653 * sqrt(4/3).
  const found = predictionInterval([1, 2, 3], 0.95);
  expect(found?.low).toBeCloseTo(2 - 4.302653 * Math.sqrt(4 / 3), 4);
  expect(found?.high).toBeCloseTo(2 + 4.302653 * Math.sqrt(4 / 3), 4);
  expect(predictionInterval([1, 2], 0.95)).toBeNull();
});

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
