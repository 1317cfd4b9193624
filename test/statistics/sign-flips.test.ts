import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../bench/statistics/noise.ts';
import { normalVariate } from '../../runner/statistics/distributions.ts';
import { chancesOfRise, rarestRise } from '../../runner/statistics/sign-flips.ts';

describe('several quantities, judged together', () => {
  it('have the chances that counting all flips gives', () => {
    expect(chancesOfRise([[1, 2, 3]])).toEqual([1 / 8]);
    expect(chancesOfRise([[1, 2, -3]])).toEqual([5 / 8]);
    // Of two that depend on each other, each flip moves both.
    expect(
      chancesOfRise([
        [1, 2, 3],
        [2, 4, 6],
      ]),
    ).toEqual([1 / 8, 1 / 8]);
    // The other rises in all blocks by another of the eight flips.
    expect(
      chancesOfRise([
        [1, 1, 1],
        [1, 1, -1],
      ]),
    ).toEqual([2 / 8, 4 / 8]);
  });

  it('find a clear rise in six blocks beside many that only vary, and drawn flips find it in twenty', () => {
    const random = seededRandom(5);
    for (const blocks of [6, 20]) {
      const noise = Array.from({ length: 8 }, () => Array.from({ length: blocks }, () => normalVariate(random)));
      const risen = Array.from({ length: blocks }, () => 0.3 + 0.02 * normalVariate(random));
      const [chance = 1, ...others] = chancesOfRise([risen, ...noise]);
      expect(chance).toBeLessThanOrEqual(2 * rarestRise(blocks));
      expect(Math.min(...others)).toBeGreaterThan(0.01);
    }
  });

  it('say nothing where all differences are zero or unknown, or where there are none', () => {
    expect(
      chancesOfRise([
        [0, 0, 0],
        [null, null, null],
      ]),
    ).toEqual([1, 1]);
    expect(chancesOfRise([])).toEqual([]);
  });

  it('keep the error over all of them, whatever they have in common', () => {
    const random = seededRandom(7);
    let found = 0;
    const runs = 1500;
    for (let run = 0; run < runs; run++) {
      const shared = Array.from({ length: 7 }, () => normalVariate(random));
      const quantities = Array.from({ length: 6 }, (_, index) =>
        shared.map((value) => (index / 6) * value + normalVariate(random) ** 3),
      );
      if (Math.min(...chancesOfRise(quantities)) <= 0.05) found++;
    }
    expect(found / runs).toBeLessThan(0.05 + 3 * Math.sqrt((0.05 * 0.95) / runs));
    expect(found / runs).toBeGreaterThan(0.02);
  });
});
