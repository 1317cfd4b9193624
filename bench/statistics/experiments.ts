import { drawOrders } from '../../runner/experiment/plan/order.ts';
import type { Protocol } from '../../runner/contract/experiment/schema.ts';
import { type Estimate, estimatePaired } from '../../runner/analysis/estimate.ts';
import { mean, variance } from '../../runner/statistics/batches.ts';
import { drawSeconds, type Noise, type Random } from './noise.ts';

export interface Pair {
  baseline: number;
  candidate: number;
}

/**
 * Simulates one experiment of two variants, in an order drawn by the code that orders real experiments.
 *
 * @param effect true log-ratio of candidate to baseline
 */
export function simulateBlocks({
  noise,
  blocks,
  effect,
  random,
  order = 'random',
}: {
  noise: Noise;
  blocks: number;
  effect: number;
  random: Random;
  order?: Protocol['order'];
}): Pair[] {
  const seed = Math.floor(random() * 2 ** 32);
  const levels = noise.draw(2 * blocks, random);
  return drawOrders(['baseline', 'candidate'], { blocks, order, seed }).map((positions, block) => {
    const throughputOf = (variant: string): number => {
      const position = positions.findIndex((together) => together.includes(variant));
      return 1000 * Math.exp((levels[2 * block + position] ?? 0) + (variant === 'candidate' ? effect : 0));
    };
    return { baseline: throughputOf('baseline'), candidate: throughputOf('candidate') };
  });
}

export function estimateBlocks(pairs: readonly Pair[], level = 0.95): Estimate {
  return estimatePaired(pairs, 'ratio', { level });
}

/**
 * The old way: three runs of one variant, then three of the other, and Welch's t-test of their seconds.
 *
 * @returns whether the test calls them different
 */
export function oldWayFindsDifference(noise: Noise, random: Random): boolean {
  const seconds = noise.draw(6, random).map((level) => drawSeconds(level, 60, random).map(Math.exp));
  const [first, second] = [seconds.slice(0, 3).flat(), seconds.slice(3).flat()];
  const error = Math.sqrt((variance(first) ?? 0) / first.length + (variance(second) ?? 0) / second.length);
  // 180 seconds on each side give at least 179 degrees of freedom. With more of them the limit would be lower.
  const twoSidedFivePercent = 1.9733;
  return Math.abs(mean(second) - mean(first)) / error > twoSidedFivePercent;
}
