import { describe, expect, it } from 'vitest';
import { blocksNeeded, powerOf } from '../../runner/analysis/blocks-needed.ts';
import type { ComparisonDesign } from '../../runner/analysis/planned-comparison.ts';

const design: ComparisonDesign = {
  decision: { level: 0.95, practicalThreshold: 0.01 },
  ...{ crossover: false, widest: null, comparisons: 1 },
};
const goal = { effect: Math.log(1.02), verdict: 'better' as const, power: 0.8 };
const spread = 0.0212;

describe('blocks needed', () => {
  it('are the fewest that have the power', () => {
    const blocks = blocksNeeded(spread, goal, design) ?? 0;
    expect(blocks).toBeGreaterThan(6);
    expect(powerOf(goal, blocks, spread, design)).toBeGreaterThanOrEqual(0.8);
    expect(powerOf(goal, blocks - 2, spread, design)).toBeLessThan(0.8);
  });

  it('never fall below what the level needs, also for several comparisons or in a crossover', () => {
    const clear = { ...goal, effect: 1 };
    expect(blocksNeeded(spread, clear, design)).toBe(6);
    expect(blocksNeeded(spread, clear, { ...design, comparisons: 4 })).toBe(8);
    expect(blocksNeeded(spread, clear, { ...design, crossover: true })).toBe(12);
  });

  it('are more where several comparisons are judged together', () => {
    const alone = blocksNeeded(spread, goal, design) ?? NaN;
    expect(blocksNeeded(spread, goal, { ...design, comparisons: 4 })).toBeGreaterThan(alone);
  });

  it('are not known where 200 are not enough', () => {
    expect(blocksNeeded(spread, { ...goal, effect: 0.0001 }, design)).toBeNull();
  });
});
