import { describe, expect, it } from 'vitest';
import { decideToStop, firstWithIntervals, planLooks } from '../../runner/statistics/sequential.ts';

describe('looks', () => {
  it.each(
    [6, 7, 8, 10, 20, 30, 100].flatMap((cap) =>
      (['early', 'even'] as const).flatMap((plan) => [1, 2, 5].map((comparisons) => ({ cap, plan, comparisons }))),
    ),
  )('up to $cap blocks together spend no more error than was allowed: $plan, $comparisons', ({ cap, ...options }) => {
    const looks = planLooks(cap, 0.95, options);
    const spent = looks.reduce((sum, { level }) => sum + 1 - level, 0);
    expect(spent).toBeLessThanOrEqual(0.05 + 1e-12);
    if (looks.length > 0) expect(looks.at(-1)?.blocks).toBe(cap);
    expect(looks.map(({ blocks }) => blocks)).toEqual(
      [...new Set(looks.map(({ blocks }) => blocks))].sort((a, b) => a - b),
    );
  });

  it('do not exist where no number of blocks up to the cap reaches the level', () => {
    expect(planLooks(5, 0.95)).toEqual([]);
  });

  it.each([
    [1, 0.95, 6],
    [2, 0.95, 7],
    [4, 0.95, 8],
    [8, 0.95, 9],
    [1, 1 - 0.046875, 6],
    [1, 0.96875, 7],
    [1, 0.99, 9],
  ])(
    'that are early begin where %i comparisons at the level %f can have an interval: at %i',
    (comparisons, level, first) => {
      for (const cap of [30, 64, 200]) {
        const looks = planLooks(cap, level, { comparisons, plan: 'early' });
        expect(looks[0]?.blocks).toBe(first);
        expect(firstWithIntervals(looks, comparisons)?.blocks).toBe(first);
      }
    },
  );

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
