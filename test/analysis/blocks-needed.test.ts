import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blocksNeeded, type ComparisonDesign, type Goal, powerOf } from '../../runner/analysis/blocks-needed.ts';
import { repeats } from '../helpers/repeats.ts';

const decision = { level: 0.95, practicalThreshold: 0.05 };
const simple: ComparisonDesign = { decision, exchanges: 0, widest: null, comparisons: 1 };
const once = { ...simple, exchanges: 1 };
const crossover = { ...simple, exchanges: 3 };
const precision = { ...simple, widest: Math.log1p(0.05) };
const verdict = { ...simple, widest: 'verdict' as const };
const goal: Goal = { effect: Math.log(1.05), verdict: 'better', power: 0.8 };

describe('blocks needed', () => {
  it.each([
    ['simple', simple],
    ['crossover of one exchange', once],
    ['crossover', crossover],
    ['until: precision', precision],
    ['until: verdict', verdict],
    ['four comparisons', { ...simple, comparisons: 4 }],
  ])('are the fewest that have the power, in a design that is %s', (_, design) => {
    const blocks = blocksNeeded(0.05, goal, design) ?? NaN;
    expect(powerOf(goal, blocks, 0.05, design)).toBeGreaterThanOrEqual(0.8);
    const step = Math.max(2, 2 * design.exchanges);
    expect(powerOf(goal, blocks - step, 0.05, design)).toBeLessThan(0.81);
  });

  it('are as many in each period of a crossover', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), (spread) => {
        expect((blocksNeeded(spread / 1000, goal, once) ?? 0) % 2).toBe(0);
        expect((blocksNeeded(spread / 1000, goal, crossover) ?? 0) % 6).toBe(0);
      }),
      { numRuns: repeats(10, 0.4) },
    );
    expect(blocksNeeded(0.01, goal, once)).toBe(12);
    expect(blocksNeeded(0.01, goal, crossover)).toBe(18);
  });

  it('grow with the spread and with the number of comparisons', () => {
    fc.assert(
      fc.property(fc.integer({ min: 5, max: 60 }), fc.integer({ min: 2, max: 6 }), (thousandths, comparisons) => {
        const [spread, more] = [thousandths / 1000, thousandths / 800];
        const blocks = blocksNeeded(spread, goal, simple) ?? NaN;
        expect(blocksNeeded(more, goal, simple)).toBeGreaterThanOrEqual(blocks);
        expect(blocksNeeded(spread, goal, { ...simple, comparisons })).toBeGreaterThanOrEqual(blocks);
      }),
      { numRuns: repeats(10, 0.4) },
    );
  });

  it('are as many for a change in the other direction', () => {
    const worse: Goal = { effect: -goal.effect, verdict: 'worse', power: 0.8 };
    const [up = NaN, down = NaN] = [goal, worse].map((one) => blocksNeeded(0.05, one, simple) ?? NaN);
    expect(Math.abs(up - down)).toBeLessThanOrEqual(1);
  });

  it('never fall below what the level or the first look needs', () => {
    expect(blocksNeeded(0.001, { ...goal, effect: 1 }, simple)).toBe(6);
    expect(blocksNeeded(0.001, { ...goal, effect: 1 }, precision)).toBe(8);
    expect(blocksNeeded(0.001, { ...goal, effect: 1 }, { ...simple, comparisons: 4 })).toBe(8);
  });

  it('are not known beyond the most, nor for a power that the rule never has', () => {
    expect(blocksNeeded(0.5, goal, simple)).toBeNull();
    // At the threshold itself one in forty is called equivalent.
    expect(blocksNeeded(0.01, { ...goal, power: 0.99 }, simple)).toBeNull();
  });

  it('can be asked for equivalence', () => {
    const equal: Goal = { effect: 0, verdict: 'equivalent', power: 0.8 };
    const blocks = blocksNeeded(0.04, equal, simple) ?? NaN;
    expect(blocks).toBeGreaterThan(6);
    expect(powerOf(equal, blocks, 0.04, simple)).toBeGreaterThanOrEqual(0.8);
  });
});

describe('power', () => {
  it('of a change within the threshold goes to equivalence, however many blocks there are', () => {
    const small = { effect: Math.log(1.02), verdict: 'better' } as const;
    expect(powerOf(small, 35, 0.04, simple)).toBeLessThan(0.05);
    expect(powerOf({ ...small, verdict: 'equivalent' }, 35, 0.04, simple)).toBeGreaterThan(0.95);
  });
});
