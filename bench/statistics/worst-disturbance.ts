import { exactRank } from '../../runner/statistics/exact-interval.ts';
import { signedRankDistribution } from '../../runner/statistics/signed-rank.ts';

/**
 * The worst that can happen to orders drawn by chance while nothing differs: what the trials do is fixed, and only the
 * order is chance. The order then decides the sign of a block's log-ratio, but not its size. So all that matters is how
 * the blocks rank by size, and in which of them the first trial is the faster one. Ties only widen the interval.
 */
export interface Disturbance {
  /** Log-throughputs of the trials in a row, two a block: those of the k-th block are k % apart. */
  trials: number[];
  /** Exact chance that the interval excludes zero, if half of the orders begin with either variant. */
  balanced: number;
  /** The same if every order is drawn by itself. It is the same for every disturbance without ties. */
  coins: number;
}

/**
 * Looks for the pattern of faster first and second trials that is worst for balanced orders. From several starts, it
 * changes one block at a time, as long as this makes the pattern worse. For up to ten blocks, it finds the same as
 * trying all patterns.
 *
 * @param blocks an even number
 */
export function worstDisturbance(blocks: number, level: number): Disturbance {
  const starts = [0, 1, 2, 3].map((every) =>
    Array.from({ length: blocks }, (_, index) => (every === 0 ? index < blocks / 2 : index % (every + 1) === 0)),
  );
  const found = starts.map((start) => climb(start, level));
  const [best] = found.sort((one, other) => other.chance - one.chance);
  if (!best) throw new Error('no disturbance was tried');
  return {
    trials: best.pattern.flatMap((firstIsFaster, index) => {
      const apart = 0.01 * (index + 1);
      return firstIsFaster ? [apart, 0] : [0, apart];
    }),
    balanced: best.chance,
    coins: 1 - (exactRank(signedRankDistribution(blocks), level)?.level ?? 1),
  };
}

function climb(start: readonly boolean[], level: number): { pattern: boolean[]; chance: number } {
  let best = { pattern: [...start], chance: chanceOfExcludingZero(start, level) };
  for (;;) {
    const neighbours = best.pattern.map((_, changed) => {
      const pattern = best.pattern.map((value, index) => (index === changed ? !value : value));
      return { pattern, chance: chanceOfExcludingZero(pattern, level) };
    });
    const [next] = neighbours.sort((one, other) => other.chance - one.chance);
    if (!next || next.chance <= best.chance + 1e-12) return best;
    best = next;
  }
}

/**
 * The exact chance that the signed-rank interval excludes zero, over all orders in which half of the blocks begin with
 * either variant.
 *
 * @param firstIsFaster for the block whose trials differ least, the one whose trials differ second to least, and so on
 */
export function chanceOfExcludingZero(firstIsFaster: readonly boolean[], level: number): number {
  const blocks = firstIsFaster.length;
  const half = blocks / 2;
  const max = (blocks * (blocks + 1)) / 2;
  // ways[begun][sum]: in how many orders the baseline began so many blocks, and the positive ranks have that sum.
  const ways = Array.from({ length: half + 1 }, () => new Float64Array(max + 1));
  if (ways[0]) ways[0][0] = 1;
  for (const [index, faster] of firstIsFaster.entries()) {
    // In place: from the largest counts down, so that the values that are read are still those of the blocks before.
    for (let begun = Math.min(half, index + 1); begun >= 0; begun--) {
      const [with_, without] = [ways[begun - 1], ways[begun]];
      const next = Float64Array.from({ length: max + 1 }, (_, sum) => {
        const plain = sum;
        const ranked = sum - (index + 1);
        // The candidate comes second if the baseline begins; it is then faster if the first trial is not.
        const begins = with_ ? (with_[faster ? plain : ranked] ?? 0) : 0;
        const follows = without ? (without[faster ? ranked : plain] ?? 0) : 0;
        return begins + follows;
      });
      ways[begun] = next;
    }
  }
  const sums = ways[half] ?? new Float64Array(0);
  const total = sums.reduce((sum, count) => sum + count, 0);
  const { rank } = exactRank(signedRankDistribution(blocks), level) ?? { rank: 0 };
  let extreme = 0;
  for (const [sum, count] of sums.entries()) if (sum < rank || sum > max - rank) extreme += count;
  return extreme / total;
}
