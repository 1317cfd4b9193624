/** Fewer pairs, or runs a side, describe and claim nothing: below six pairs there is no interval of the usual 95 %. */
export const fewestPairs = 6;

/** Fewest pairs, six at least, from which a signed-rank interval of this level exists: its tails are 1 in 2^n each. */
export function fewestPairsFor(level: number): number {
  assertLevel(level);
  return Math.max(fewestPairs, Math.ceil(1 - Math.log2(1 - level) - 1e-9));
}

/** Closed interval; `level` is the exact confidence that the method has for this many values, at least the one asked for. */
export interface Interval {
  low: number;
  high: number;
  level: number;
}

/**
 * The k-th value from either end of a sorted list, k being the largest that keeps the level. Signed-rank, rank-sum and
 * order-statistic intervals are all of this form; they differ in the list and in the statistic that counts how many of its
 * values lie below the true one (Hollander, Wolfe & Chicken, "Nonparametric Statistical Methods", 3rd ed., 3.3 and 4.3).
 *
 * Ties make a closed interval of this form cover more, never less: tied values are the limit of values that differ by a
 * vanishing symmetric jitter, for which the level is exact.
 *
 * @param sorted ascending
 * @param distribution probability that 0, 1, 2 ... of the listed values lie below the true one; symmetric
 * @returns null where not even the widest interval reaches the level
 */
export function exactInterval(sorted: Float64Array, distribution: Float64Array, level: number): Interval | null {
  assertLevel(level);
  const found = exactRank(distribution, level);
  if (!found) return null;
  const low = sorted[found.rank - 1];
  const high = sorted[sorted.length - found.rank];
  return low === undefined || high === undefined ? null : { low, high, level: found.level };
}

/** Largest k for which 1 - 2 P(statistic < k) is at least the level, with the level that it has. */
export function exactRank(distribution: Float64Array, level: number): { rank: number; level: number } | null {
  let below = 0;
  let found: { rank: number; level: number } | null = null;
  for (const [index, probability] of distribution.entries()) {
    below += probability;
    // A level such as 0.9375 that is met exactly must not be missed for rounding.
    if (1 - 2 * below < level - 1e-12) break;
    found = { rank: index + 1, level: 1 - 2 * below };
  }
  return found;
}

/** Two-sided: twice the smaller tail, at most 1. */
export function twoSidedProbability(distribution: Float64Array, statistic: number): number {
  let atMost = 0;
  let atLeast = 0;
  for (const [value, probability] of distribution.entries()) {
    if (value <= statistic) atMost += probability;
    if (value >= statistic) atLeast += probability;
  }
  return Math.min(1, 2 * Math.min(atMost, atLeast));
}

export function assertLevel(level: number): void {
  if (!(level > 0 && level < 1)) throw new RangeError(`level ${level} is not between 0 and 1`);
}
