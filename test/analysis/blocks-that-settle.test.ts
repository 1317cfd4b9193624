import { describe, expect, it } from 'vitest';
import { estimatePaired } from '../../runner/analysis/estimate.ts';
import { blocksThatSettle } from '../../runner/analysis/verdict.ts';

const options = { level: 0.95, practicalThreshold: 0.05, exchanges: 0 } as const;

function reported(
  ratios: readonly number[],
  changed: Partial<Parameters<typeof blocksThatSettle>[2]> = {},
): number | null {
  const pairs = ratios.map((ratio) => ({ baseline: 1000, candidate: 1000 * ratio }));
  const estimate = estimatePaired(pairs, 'ratio', { level: 0.95 });
  return blocksThatSettle(estimate, estimate.changes, { ...options, ...changed });
}

describe('the blocks that settle an inconclusive comparison', () => {
  const ratios = [0.9, 1.1, 1.0, 1.2, 0.95, 1.05];

  it('follow from the spread of the pairs, not from the width of the interval that few of them have', () => {
    // The pairs spread by 0.104, which is 0.111 at the median of what six say, and the estimate is within the threshold:
    // (1.96 × 1.023 × 0.111 / (0.7 × ln 1.05))² and one.
    expect(reported(ratios)).toBe(44);
  });

  it('are twice as many if two make a pair', () => {
    expect(reported(ratios, { exchanges: 1 })).toBe(88);
  });

  it('are more if the pairs of any one exchange are left out, and as many for each exchange', () => {
    const blocks = reported(ratios, { exchanges: 3 }) ?? NaN;
    expect(blocks / 88).toBeGreaterThan(2);
    expect(blocks / 88).toBeLessThan(3);
    expect(blocks % 6).toBe(0);
  });

  it('are more among several comparisons, and fewer where the estimate lies far from zero', () => {
    expect(reported(ratios, { level: 0.9875 })).toBeGreaterThan(reported(ratios) ?? NaN);
    expect(reported(ratios.map((ratio) => ratio * 1.07))).toBeLessThan(reported(ratios) ?? NaN);
  });

  it('are more than those so far, and as many as the level needs', () => {
    expect(reported([1.06, 1.061, 1.062, 1.063, 1.064, 1.065])).toBe(7);
    expect(reported([1.06, 1.061, 1.062, 1.063, 1.064, 1.065], { level: 0.999 })).toBe(11);
  });

  it('cannot be told without ratios, or where the interval is narrow enough and only the totals are not', () => {
    expect(reported([0.9, 1.1, 0, 1.2, 0.95, 1.05])).toBeNull();
    expect(reported([1, 1.001, 0.999, 1.002, 0.998, 1])).toBeNull();
  });
});
