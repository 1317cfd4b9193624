import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { fewestPairs, type Interval } from './exact-interval.ts';
import { quantile } from './quantiles.ts';

const draws = 2000;
/** Not that of the experiment: the same blocks give the same interval, whatever order was drawn. */
const seed = 11;

/**
 * Percentile interval of a statistic for which no exact one is known (Efron & Tibshirani 1993, "An Introduction to the
 * Bootstrap", 13.3): blocks are drawn with replacement, as many as there are, again and again. Its level is approximate, and
 * a little too high with few blocks. Assumes that blocks are independent and alike.
 *
 * @param statistic its value for some blocks; null if they give none
 * @param level such as 0.95
 * @returns null if there are too few blocks
 */
export function resampledInterval<Block>(
  blocks: readonly Block[],
  statistic: (some: readonly Block[]) => number | null,
  level: number,
): Interval | null {
  if (blocks.length < fewestPairs) return null;
  const random = xoroshiro128plus(seed);
  const found: number[] = [];
  for (let draw = 0; draw < draws; draw++) {
    const value = statistic(blocks.map(() => blocks[uniformInt(random, 0, blocks.length - 1)] as Block));
    if (value !== null) found.push(value);
  }
  const low = quantile(found, (1 - level) / 2);
  const high = quantile(found, (1 + level) / 2);
  return low === null || high === null ? null : { low, high, level };
}
