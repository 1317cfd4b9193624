import { variance } from './batches.ts';
import { normalVariate } from './normal-variate.ts';
import { signedRankInterval } from './signed-rank.ts';

/**
 * Power of the very decision that is taken later: the share of simulated experiments whose exact signed-rank interval
 * excludes zero on the right side. Assumes that log-ratios of blocks are normal with the given spread; heavier tails at the
 * same standard deviation need fewer blocks, a pilot that was luckier than the rest needs more.
 *
 * @param effect true log-ratio, such as Math.log(1.05)
 * @param random uniform on 0 to 1
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
 * Fewest blocks with which an effect is found with the given power.
 *
 * @param pilot log-ratios of the blocks of a pilot; two at least, and with few of them their spread is itself uncertain
 * @returns null where the pilot is too small or the cap does not suffice
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
 * Blocks after which an interval should be no wider than the threshold, when widths shrink with the square root of their
 * number. An interval that narrow settles every case: it either excludes zero or lies within plus and minus the threshold.
 *
 * @param width width of the interval on the log scale, from `blocks` blocks
 * @param threshold on the log scale
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
