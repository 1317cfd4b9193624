import { describe, expect, it } from 'vitest';
import { capWithEarlyLook, decideToStop, planLooks } from '../../runner/statistics/sequential.ts';

describe('looks', () => {
  it.each([6, 8, 10, 20, 30, 100])('up to %i blocks together spend no more error than was allowed', (cap) => {
    const looks = planLooks(cap, 0.95);
    const spent = looks.reduce((sum, { level }) => sum + 1 - level, 0);
    expect(spent).toBeLessThanOrEqual(0.05 + 1e-12);
    expect(looks.at(-1)?.blocks).toBe(cap);
    expect(looks.map(({ blocks }) => blocks)).toEqual(
      [...new Set(looks.map(({ blocks }) => blocks))].sort((a, b) => a - b),
    );
  });

  it('do not exist where no number of blocks up to the cap reaches the level', () => {
    expect(planLooks(5, 0.95)).toEqual([]);
  });

  it.each([
    [7, 7],
    [30, 30],
    [56, 56],
    [64, 56],
    [200, 56],
  ])('of a cap of at most %i begin at eight blocks if the cap is %i', (most, cap) => {
    expect(capWithEarlyLook(most, 0.95)).toBe(cap);
    if (cap >= 8) expect(planLooks(cap, 0.95)[0]?.blocks).toBe(8);
  });

  it('stop at the first interval that is narrow enough, and only there or at the cap', () => {
    const looks = planLooks(12, 0.95);
    const narrow = [1, 2, 3, 4, 5, 6, 7, 8].map((value) => value / 1000);
    expect(looks.map(({ blocks }) => blocks)).toEqual([8, 12]);
    expect(decideToStop(narrow.slice(1), looks, { widest: 0.05 })).toEqual({ stop: false, interval: null });
    expect(decideToStop(narrow, looks, { widest: 0.05 })).toMatchObject({
      stop: true,
      interval: { level: looks[0]?.level },
    });
    expect(decideToStop(narrow, looks, { widest: 0.0001 }).stop).toBe(false);
    expect(decideToStop([...narrow, ...narrow.slice(0, 4)], looks, { widest: 0.0001 }).stop).toBe(true);
  });
});
