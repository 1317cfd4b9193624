import { exactRank, fewestPairsFor, type Interval, simultaneousLevel } from './exact-interval.ts';
import { signedRankDistribution, signedRankInterval } from './signed-rank.ts';

/** A point at which to look at an experiment that stops when it is precise enough. */
export interface Look {
  blocks: number;
  /** Exact level of the interval at this look. */
  level: number;
}

/** Before this number of blocks, an interval of the usual level is too wide to stop at. */
export const firstLookBlocks = 8;
/** Each look comes after 1.4 times the blocks of the look before it. Looking more often costs more than it saves. */
const growth = 1.4;

/**
 * Plans looks at fixed numbers of blocks, with levels so high that all of their intervals hold at once. The allowed
 * error is shared evenly (Bonferroni, 1936). Levels are discrete, so the part of its share that a look leaves unused
 * goes to the next look. By the union bound, the chance that any of the intervals misses is at most 1 - level. This
 * holds for any reason to stop: the width of the interval, its position, or the time. A group-sequential design (Pocock
 * 1977; O'Brien & Fleming 1979) would be narrower by up to a tenth, but only for normal values and for its own stopping
 * rule.
 *
 * @param cap number of blocks at the last look; fewer than eight blocks leave one look, at the cap
 * @returns the looks that can reach their level; empty if the cap is too small for any
 */
export function planLooks(cap: number, level: number): Look[] {
  const counts: number[] = [];
  for (let blocks = firstLookBlocks; blocks < cap / Math.sqrt(growth); blocks = Math.ceil(blocks * growth)) {
    counts.push(blocks);
  }
  counts.push(cap);

  const looks: Look[] = [];
  let spent = 0;
  for (const [index, blocks] of counts.entries()) {
    const allowed = ((1 - level) * (index + 1)) / counts.length - spent;
    const found = exactRank(signedRankDistribution(blocks), 1 - allowed);
    if (!found) continue;
    spent += 1 - found.level;
    looks.push({ blocks, level: found.level });
  }
  return looks;
}

/** The first look at which each of several comparisons can have an interval; undefined if there is none. */
export function firstWithIntervals(looks: readonly Look[], comparisons: number): Look | undefined {
  return looks.find(({ blocks, level }) => fewestPairsFor(simultaneousLevel(level, comparisons)) <= blocks);
}

/**
 * The cap, of this number of blocks or up to a quarter fewer, whose first look at which every comparison can have an
 * interval comes soonest; of several such caps, the largest. A larger cap has more looks, which share the allowed error,
 * so the early ones may no longer reach their level. A much smaller one would leave small effects unsettled.
 */
export function capWithEarlyLook(most: number, level: number, comparisons: number): number {
  let best = { cap: most, first: Infinity };
  for (let cap = Math.ceil(0.75 * most); cap <= most; cap++) {
    const first = firstWithIntervals(planLooks(cap, level), comparisons)?.blocks ?? Infinity;
    if (first <= best.first) best = { cap, first };
  }
  return best.cap;
}

export interface StopDecision {
  stop: boolean;
  /** The interval at this look; null between looks. */
  interval: Interval | null;
}

/**
 * The rule of `until: precision`: stop at a look whose interval is no wider than asked for, and at the last look.
 *
 * @param values log-ratios of those blocks so far that count
 * @param options.blocks blocks so far; a look takes place even if a comparison has lost a block
 * @param options.widest allowed width on the log scale. With the width of the practical threshold, every case is
 *   settled: the interval excludes zero, or lies within the threshold
 * @param options.unknown blocks whose values exist but are unknown (see `signedRankInterval`)
 * @param options.comparisons number of comparisons whose intervals must hold at once
 */
export function decideToStop(
  values: readonly number[],
  looks: readonly Look[],
  {
    unknown = 0,
    blocks = values.length + unknown,
    widest,
    comparisons = 1,
  }: { unknown?: number; blocks?: number; widest: number; comparisons?: number },
): StopDecision {
  const index = looks.findIndex((look) => look.blocks === blocks);
  const look = looks[index];
  if (!look) return { stop: blocks >= (looks.at(-1)?.blocks ?? 0), interval: null };
  // Slightly less, so that rounding does not miss a level that can be reached exactly.
  const interval = signedRankInterval(values, simultaneousLevel(look.level - 1e-12, comparisons), unknown);
  return {
    stop: index === looks.length - 1 || (interval !== null && interval.high - interval.low <= widest),
    interval,
  };
}
