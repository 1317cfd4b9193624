import { describe, expect, it } from 'vitest';
import { capWithEarlyLook, decideToStop, firstWithIntervals, planLooks } from '../../runner/statistics/sequential.ts';

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
    [7, 1, 6, 6],
    [30, 1, 30, 8],
    [56, 1, 56, 8],
    [64, 1, 56, 8],
    [200, 1, 200, 12],
    [24, 2, 20, 8],
    [30, 2, 30, 12],
    [16, 3, 14, 8],
  ])('of a cap of at most %i for %i comparisons begin soonest if the cap is %i', (most, comparisons, cap, first) => {
    expect(capWithEarlyLook(most, 0.95, comparisons)).toBe(cap);
    expect(firstWithIntervals(planLooks(cap, 0.95), comparisons)?.blocks).toBe(first);
  });

  it('begin no sooner at a cap that is little smaller', () => {
    const firstAt = (cap: number) => firstWithIntervals(planLooks(cap, 0.99), 2)?.blocks ?? Infinity;
    const cap = capWithEarlyLook(40, 0.99, 2);
    expect(firstAt(cap)).toBe(Math.min(...Array.from({ length: 11 }, (_, index) => firstAt(30 + index))));
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
