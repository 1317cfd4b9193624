import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../bench/statistics/noise.ts';
import { gateFinding } from '../../runner/analysis/gate.ts';
import { chanceOfFail, gatePower, regressionFound } from '../../runner/analysis/gate-power.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { ComparisonDesign } from '../../runner/analysis/blocks-needed.ts';
import { blocksOf, compare, comparisonBy } from '../helpers/samples/compared-blocks.ts';

const threshold = 0.05;

/** What a gate says of blocks with these ratios of head to base. */
function findingOf(ratios: readonly number[]) {
  const pairs = ratios.map((ratio) => [1000, 1000 * ratio] as const);
  return gateFinding(comparisonBy(compare(blocksOf(pairs)).comparisons, 'tps'), threshold);
}

describe('a gate with a threshold of 5%', () => {
  it.each([
    ['fail', 'worse', [0.85, 0.86, 0.87, 0.88, 0.89, 0.9]],
    // The interval reaches into the threshold; that head is worse is beyond noise.
    ['fail', 'worse', [0.91, 0.9, 0.97, 0.92, 0.89, 0.93]],
    ['pass', 'better', [1.06, 1.07, 1.08, 1.09, 1.1, 1.11]],
    ['pass', 'equivalent', [0.99, 1.0, 1.01, 0.98, 1.02, 1.0]],
    ['pass', 'not-worse', [0.97, 1.1, 1.0, 1.2, 0.98, 1.3]],
    ['no-verdict', 'slightly-worse', [0.93, 0.99, 0.96, 0.98, 0.94, 0.985]],
    ['no-verdict', 'inconclusive', [0.9, 1.1, 1.0, 1.2, 0.95, 1.05]],
    ['no-verdict', 'withheld', [0.5, 0.5]],
  ])('says %s (%s) for ratios of %j', (outcome, because, ratios) => {
    expect(findingOf(ratios)).toEqual({ outcome, because });
  });

  it('does not pass what loses more in total, though the typical block does not', () => {
    const ratios = [1.0, 1.01, 1.02, 1.03, 1.01, 1.02, 1.0, 1.03, 1.02, 0.2, 1.01, 1.02];
    expect(findingOf(ratios).outcome).not.toBe('pass');
  });

  it('does not fail beside other programs that can explain a loss, nor pass what they may hide', () => {
    const worse = comparisonBy(
      compare(blocksOf([0.9, 0.91, 0.92, 0.9, 0.93, 0.92].map((ratio) => [1000, 1000 * ratio] as const))).comparisons,
      'tps',
    );
    const beside = { taken: { baseline: 0.1, candidate: 0.3 }, programs: [], isCondition: false };
    const wide = { low: -0.3, high: 0.2 };
    const unsettled = { ...worse, verdict: 'inconclusive', undecided: 'other-programs' } as const;
    expect(gateFinding({ ...unsettled, beside: { ...beside, alike: wide, quiet: wide } }, threshold).outcome).toBe(
      'no-verdict',
    );
    const hidden: Comparison = {
      ...worse,
      verdict: 'inconclusive',
      undecided: 'interval-includes-zero',
      change: 0.01,
      interval: { low: -0.01, high: 0.03, level: 0.95 },
      pairs: [],
    };
    expect(gateFinding(hidden, threshold).outcome).toBe('pass');
    expect(gateFinding({ ...hidden, beside: { ...beside, alike: wide, quiet: wide } }, threshold).outcome).toBe(
      'no-verdict',
    );
  });

  it('fails one commit against itself in at most one run of twenty, however noisy', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), fc.double({ min: 0.01, max: 0.5, noNaN: true }), (seed, spread) => {
        const random = seededRandom(seed);
        const runs = 200;
        const failed = Array.from({ length: runs }, () =>
          findingOf(Array.from({ length: 6 }, () => Math.exp(spread * (random() + random() + random() - 1.5)))),
        ).filter(({ outcome }) => outcome === 'fail').length;
        // 1 in 64 by the exact level of six blocks; four standard errors above it.
        expect(failed / runs).toBeLessThanOrEqual(1 / 64 + 4 * Math.sqrt(1 / 64 / runs));
      }),
      { numRuns: 10, seed: 20261130 },
    );
  });
});

describe('what a gate can find', () => {
  const design: ComparisonDesign = {
    decision: { level: 0.95, practicalThreshold: threshold },
    exchanges: 0,
    widest: 'verdict',
    comparisons: 1,
  };

  it('is a loss that it fails for in four runs of five', () => {
    const found = regressionFound(0.05, 12, design) ?? NaN;
    expect(found).toBeGreaterThan(threshold);
    expect(chanceOfFail(found, { spread: 0.05, blocks: 12, design })).toBeGreaterThanOrEqual(gatePower);
    expect(chanceOfFail(0.95 * found, { spread: 0.05, blocks: 12, design })).toBeLessThan(gatePower);
  });

  it('is a smaller loss with more blocks, and with quieter ones', () => {
    const found = (spread: number, blocks: number): number => regressionFound(spread, blocks, design) ?? NaN;
    expect(found(0.1, 24)).toBeLessThan(found(0.1, 8));
    expect(found(0.02, 8)).toBeLessThan(found(0.1, 8));
  });

  it('is nothing where blocks vary too much', () => {
    expect(regressionFound(3, 6, design)).toBeNull();
  });

  it('is hardly ever a commit that changes nothing', () => {
    expect(chanceOfFail(0, { spread: 0.1, blocks: 12, design })).toBeLessThanOrEqual(0.025);
  });
});
