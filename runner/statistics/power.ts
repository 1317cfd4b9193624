import { variance } from './batches.ts';
import { normalVariate } from './normal-variate.ts';
import { signedRankInterval } from './signed-rank.ts';

/**
 * Power of the decision that is made on the measured blocks: the share of simulated experiments whose exact signed-rank
 * interval excludes zero on the right side. It assumes that the log-ratios of blocks are normal with the given standard
 * deviation. Heavier tails with the same standard deviation need fewer blocks. More are needed if the pilot varied less
 * than the experiment will.
 *
 * @param effect true log-ratio, such as Math.log(1.05)
 * @param random gives numbers that are uniform from 0 to 1
 */
export function powerOfBlocks({
  effect,
  standardDeviation,
  blocks,
  level,
  random,
  experiments = 2000,
}: {
  effect: number;
  standardDeviation: number;
  blocks: number;
  level: number;
  random: () => number;
  experiments?: number;
}): number {
  let found = 0;
  for (let experiment = 0; experiment < experiments; experiment++) {
    const values = Array.from({ length: blocks }, () => effect + standardDeviation * normalVariate(random));
    const interval = signedRankInterval(values, level);
    if (interval && (effect > 0 ? interval.low > 0 : interval.high < 0)) found++;
  }
  return found / experiments;
}

/**
 * The smallest number of blocks that find an effect with the given power.
 *
 * @param effect true log-ratio, such as Math.log(1.05)
 * @param pilot log-ratios of the blocks of a pilot, at least two. If there are few, their spread is itself uncertain.
 * @returns null if the pilot is too small, or if `cap` blocks are not enough
 */
export function blocksNeeded({
  effect,
  pilot,
  level,
  power,
  cap,
  random,
}: {
  effect: number;
  pilot: readonly number[];
  level: number;
  power: number;
  cap: number;
  random: () => number;
}): number | null {
  const spread = variance(pilot);
  if (spread === null || effect === 0) return null;
  const suffices = (blocks: number): boolean =>
    powerOfBlocks({ effect, standardDeviation: Math.sqrt(spread), blocks, level, random }) >= power;
  let low = 1;
  let high = 2;
  while (!suffices(high)) {
    if (high >= cap) return null;
    [low, high] = [high, Math.min(cap, high * 2)];
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (suffices(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/**
 * Number of blocks after which an interval should be no wider than the threshold, if widths shrink with the square root of
 * the number. Such an interval settles every case: it either excludes zero or lies within plus and minus the threshold.
 *
 * @param width width of the interval from `blocks` blocks, on the log scale
 * @param threshold practical threshold on the log scale
 */
export function blocksToSettle({
  width,
  blocks,
  threshold,
}: {
  width: number;
  blocks: number;
  threshold: number;
}): number {
  return Math.max(blocks + 1, Math.ceil(blocks * (width / threshold) ** 2));
}
