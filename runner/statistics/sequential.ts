import { exactRank, minPairsFor, type Interval, simultaneousLevel } from './exact-interval.ts';
import { signedRankDistribution, signedRankInterval } from './signed-rank.ts';

/** A point at which to look at an experiment that stops when it is precise enough. */
export interface Look {
  blocks: number;
  /** Exact level at which the intervals of all comparisons hold at this look. */
  level: number;
}

/** How looks are planned: to end as soon as possible, or when an interval is narrow. */
export type LookPlan = 'early' | 'even';

/** Before this number of blocks, an interval is too wide to stop for its width. */
export const firstEvenLook = 8;
/** The part of the allowed error that an early first look takes: of 15/16 of 5%, it is the 1 in 32 that six blocks need. */
const firstShare = 2 / 3;
/** Each look comes after 1.4 times the blocks of the look before it. Looking more often costs more than it saves. */
const growth = 1.4;

/**
 * Plans looks at fixed numbers of blocks, with levels so high that all of their intervals hold at once. `even` shares
 * the allowed error evenly (Bonferroni, 1936). `early` looks first at the fewest blocks from which every comparison can
 * have an interval with two thirds of the error, and shares the rest evenly: large effects end sooner, and small ones take
 * more. Levels are discrete, so the part of its share that a look leaves unused goes to the next look. By the union
 * bound, the chance that any of the intervals misses is at most 1 - level. This holds for any reason to stop: the width
 * of the interval, its position, or the time. A group-sequential design (Pocock 1977; O'Brien & Fleming 1979) would be
 * narrower by up to a tenth, but only for normal values and for its own stopping rule.
 *
 * @param cap number of blocks at the last look; if the first look would come later, the cap is the only look
 * @param options.comparisons that are judged together: each has its part of the error at every look
 * @returns the looks that can reach their level; empty if the cap is too small for any
 */
export function planLooks(
  cap: number,
  level: number,
  { comparisons = 1, plan = 'even' }: { comparisons?: number; plan?: LookPlan } = {},
): Look[] {
  const allowed = (1 - level) / comparisons;
  const early = plan === 'early';
  const first = early ? minPairsFor(1 - firstShare * allowed) : firstEvenLook;
  const counts: number[] = [];
  for (let blocks = first; blocks < cap / Math.sqrt(growth); blocks = Math.ceil(blocks * growth)) counts.push(blocks);
  counts.push(cap);

  const looks: Look[] = [];
  let spent = 0;
  for (const [index, blocks] of counts.entries()) {
    const even = (index + 1) / counts.length;
    const share = early && counts.length > 1 ? firstShare + ((1 - firstShare) * index) / (counts.length - 1) : even;
    const found = exactRank(signedRankDistribution(blocks), 1 - (allowed * share - spent));
    if (!found) continue;
    spent += 1 - found.level;
    looks.push({ blocks, level: 1 - comparisons * (1 - found.level) });
  }
  return looks;
}

/** The first look at which each of several comparisons can have an interval; undefined if there is none. */
export function firstWithIntervals(looks: readonly Look[], comparisons: number): Look | undefined {
  return looks.find(({ blocks, level }) => minPairsFor(simultaneousLevel(level, comparisons)) <= blocks);
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
 * @param options.widest allowed width on the log scale. With the width of the practical threshold, the interval excludes
 *   zero or lies within the threshold; whether that is a verdict also depends on the totals and the controls
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
