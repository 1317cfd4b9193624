import { exactRank, type Interval } from './exact-interval.ts';
import { signedRankDistribution, signedRankInterval } from './signed-rank.ts';

/** When to look at an experiment that stops as soon as it is precise enough. */
export interface Look {
  blocks: number;
  /** Exact level of the interval at this look. */
  level: number;
}

/** Below, an interval of the usual level is too wide to stop at. */
export const firstLookBlocks = 8;
/** Each look after so many times the blocks of the one before: looking more often costs more than it saves. */
const growth = 1.4;

/**
 * Looks at numbers of blocks fixed beforehand, with levels such that all of their intervals hold at once. The allowed error
 * is shared evenly (Bonferroni, 1936), and what the discrete levels leave unspent goes to the next look. By the union bound
 * the chance that any of the intervals misses is at most 1 - level whatever makes the experiment stop, be it the interval's
 * width, its position or a glance at the clock; a group-sequential design (Pocock 1977; O'Brien & Fleming 1979) would be
 * narrower by up to a tenth, but only for normal values and its own stopping rule.
 *
 * @param cap the last look; fewer than eight blocks leave one look, at the cap
 * @returns looks that can reach their level; empty where the cap is too small for any
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

export interface StopDecision {
  stop: boolean;
  /** The interval at this look; null between looks. */
  interval: Interval | null;
}

/**
 * The rule of `until precision`: stop at a look whose interval is no wider than asked for, and at the last one.
 *
 * @param values log-ratios of the blocks so far
 * @param widest on the log scale; as wide as the practical threshold settles every case (see `blocksToSettle`)
 */
export function decideToStop(values: readonly number[], looks: readonly Look[], widest: number): StopDecision {
  const index = looks.findIndex(({ blocks }) => blocks === values.length);
  const look = looks[index];
  if (!look) return { stop: values.length >= (looks.at(-1)?.blocks ?? 0), interval: null };
  const interval = signedRankInterval(values, look.level);
  return {
    stop: index === looks.length - 1 || (interval !== null && interval.high - interval.low <= widest),
    interval,
  };
}
