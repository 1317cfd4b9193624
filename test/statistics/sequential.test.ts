import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../bench/statistics/noise.ts';
import { blocksNeeded, blocksToSettle, powerOfBlocks } from '../../runner/statistics/power.ts';
import { decideToStop, planLooks } from '../../runner/statistics/sequential.ts';

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

describe('blocks needed', () => {
  const pilot = [0.031, -0.012, 0.008, 0.045, 0.02, -0.004];
  const request = { pilot, level: 0.95, power: 0.8, cap: 400 };

  it('are the fewest that have the power', () => {
    const effect = Math.log(1.02);
    const blocks = blocksNeeded({ ...request, effect, random: seededRandom(1) });
    expect(blocks).toBeGreaterThan(6);
    const power = (count: number) =>
      powerOfBlocks({ effect, standardDeviation: 0.0212, blocks: count, level: 0.95, random: seededRandom(2) });
    expect(power(blocks ?? 0)).toBeGreaterThan(0.77);
    expect(power((blocks ?? 0) - 2)).toBeLessThan(0.8);
  });

  it('never fall below what the level needs', () => {
    expect(blocksNeeded({ ...request, effect: 1, random: seededRandom(1) })).toBe(6);
  });

  it('are not known from a pilot of one, for no effect, or beyond the cap', () => {
    expect(blocksNeeded({ ...request, pilot: [0.1], effect: 0.1, random: seededRandom(1) })).toBeNull();
    expect(blocksNeeded({ ...request, effect: 0, random: seededRandom(1) })).toBeNull();
    expect(blocksNeeded({ ...request, effect: 0.0001, cap: 10, random: seededRandom(1) })).toBeNull();
  });

  it('to settle a comparison grow with the square of its width', () => {
    expect(blocksToSettle({ width: 0.1, blocks: 10, threshold: 0.05 })).toBe(40);
    expect(blocksToSettle({ width: 0.05, blocks: 10, threshold: 0.05 })).toBe(11);
  });
});
