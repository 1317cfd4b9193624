import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../bench/statistics/noise.ts';
import { withinThreshold } from '../../runner/analysis/totals.ts';
import type { Comparison } from '../../runner/contract/comparison.ts';
import type { Decision } from '../../runner/contract/experiment/schema.ts';
import { blocksOf, compare, comparisonBy, decision } from '../helpers/samples/compared-blocks.ts';
import { trial } from '../helpers/samples/measured-trial.ts';

describe('verdicts at a threshold of 5%', () => {
  const verdictOf = (ratios: readonly number[], metric: Decision['metric'] = 'tps') => {
    const trials = ratios.flatMap((ratio, index) => [
      trial('without', index + 1, { tps: 1000, 'latency.average': 0.01 }),
      trial('with', index + 1, { tps: 1000 * ratio, 'latency.average': 0.01 * ratio }),
    ]);
    return comparisonBy(compare(trials, { decision: { ...decision, metric } }).comparisons, metric);
  };

  it.each([
    ['better', [1.06, 1.07, 1.08, 1.09, 1.1, 1.11]],
    ['better', [1.01, 1.07, 1.08, 1.09, 1.1, 1.11]],
    ['worse', [0.9, 0.91, 0.92, 0.93, 0.94, 0.95]],
    ['equivalent', [0.99, 1.0, 1.01, 0.98, 1.02, 1.0]],
    ['equivalent', [1.01, 1.02, 1.03, 1.02, 1.01, 1.02]],
    ['inconclusive', [0.9, 1.1, 1.0, 1.2, 0.95, 1.05]],
  ])('%s for ratios of %j', (verdict, ratios) => {
    expect(verdictOf(ratios).verdict).toBe(verdict);
  });

  describe('where the baseline stalls in some trials, which the median of the blocks hides', () => {
    /** The baseline loses 30% in these blocks; besides, trials vary by 1% up and down. */
    const verdictWith = (stalls: readonly boolean[], random: () => number) => {
      const tps = (): number => 1000 * (1 + 0.02 * (random() - 0.5));
      const pairs = stalls.map((stalls) => [tps() * (stalls ? 0.7 : 1), tps()] as const);
      return comparisonBy(compare(blocksOf(pairs)).comparisons, 'tps');
    };
    const intervalIsWithin = ({ interval }: Comparison): boolean =>
      interval !== null && withinThreshold(interval, decision.practicalThreshold);

    it('are never equivalent once its total is out of bounds', () => {
      for (let seed = 0; seed < 50; seed++) {
        const random = seededRandom(seed);
        // 7 of 40 blocks: in total the candidate does 5.5% more.
        const found = verdictWith(
          Array.from({ length: 40 }, (_, block) => block < 7),
          random,
        );
        expect(intervalIsWithin(found)).toBe(true);
        expect(found.verdict).not.toBe('equivalent');
      }
    });

    it('are hardly ever equivalent if one trial of five is hit by chance, from 40 blocks', () => {
      const found = Array.from({ length: 400 }, (_, seed) => {
        const random = seededRandom(seed);
        return verdictWith(
          Array.from({ length: 40 }, () => random() < 0.2),
          random,
        );
      });
      const share = (which: (one: Comparison) => boolean): number => found.filter(which).length / found.length;
      // The interval alone calls it so in 4 of 10 experiments.
      expect(share(intervalIsWithin)).toBeGreaterThan(0.3);
      expect(share(({ verdict }) => verdict === 'equivalent')).toBeLessThan(0.02);
    });
  });

  it('turn round for a metric of which less is better', () => {
    expect(verdictOf([1.06, 1.07, 1.08, 1.09, 1.1, 1.11], 'latency.average').verdict).toBe('worse');
  });

  it('mirror when the sides are exchanged', () => {
    const mirrored = { better: 'worse', worse: 'better', equivalent: 'equivalent', inconclusive: 'inconclusive' };
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 80, max: 125 }), { minLength: 6, maxLength: 12 }), (percents) => {
        const there = verdictOf(percents.map((percent) => percent / 100)).verdict;
        const back = verdictOf(percents.map((percent) => 100 / percent)).verdict;
        expect(back).toBe(mirrored[there as keyof typeof mirrored]);
      }),
    );
  });

  it('tell with an inconclusive one how many blocks would settle it', () => {
    const settled = verdictOf([0.9, 1.1, 1.0, 1.2, 0.95, 1.05]).blocksToSettle;
    // The pairs spread by 0.104, and the estimate is within the threshold: (1.96 × 1.023 × 0.111 / (0.7 × ln 1.05))² and one.
    expect(settled).toBe(44);
    expect(verdictOf([1.06, 1.07, 1.08, 1.09, 1.1, 1.11])).not.toHaveProperty('blocksToSettle');
  });
});
