import { sortedNumbers } from './summaries.ts';

/**
 * With fewer pairs, or fewer runs on one side, a result only describes and claims nothing: fewer than six pairs have no
 * 95% interval.
 */
export const minPairs = 6;

/** Fewest pairs, at least six, for which a signed-rank interval of this level exists: its tails are 1 in 2^n each. */
export function minPairsFor(level: number): number {
  assertLevel(level);
  return Math.max(minPairs, Math.ceil(1 - Math.log2(1 - level) - 1e-9));
}

/** The level that each of several intervals needs, so that all hold at once with the given level (Bonferroni 1936). */
export function simultaneousLevel(level: number, intervals: number): number {
  return 1 - (1 - level) / intervals;
}

/** Closed interval. `level` is its exact confidence level for this number of values: at least the level asked for. */
export interface Interval {
  low: number;
  high: number;
  level: number;
}

/** Whether all values of the interval lie on one side of zero. */
export function excludesZero({ low, high }: Pick<Interval, 'low' | 'high'>): boolean {
  return low > 0 || high < 0;
}

/**
 * Interval from the k-th lowest to the k-th highest value of a sorted list; k is the largest that keeps the level. The
 * signed-rank and order-statistic intervals have this form. They differ in the list, and in the statistic that counts how
 * many of its values lie below the true one (Hollander, Wolfe & Chicken, "Nonparametric Statistical Methods", 3rd ed., 3.3
 * and 3.6).
 *
 * Ties can only raise the coverage of such a closed interval. Tied values are the limit of values with a vanishing
 * symmetric jitter, and for those the level is exact.
 *
 * @param sorted ascending
 * @param distribution probabilities that 0, 1, 2 ... of the listed values lie below the true one; symmetric
 * @returns null if even the widest interval does not reach the level
 * @throws {RangeError} if the level is not between 0 and 1
 */
export function exactInterval(sorted: Float64Array, distribution: Float64Array, level: number): Interval | null {
  assertLevel(level);
  const found = exactRank(distribution, level);
  if (!found) return null;
  const low = sorted[found.rank - 1];
  const high = sorted[sorted.length - found.rank];
  return low === undefined || high === undefined ? null : { low, high, level: found.level };
}

/**
 * The largest k for which 1 - 2 P(statistic < k) is at least the level, and the level that this k has; null if there is
 * none.
 */
export function exactRank(distribution: Float64Array, level: number): { rank: number; level: number } | null {
  let below = 0;
  let found: { rank: number; level: number } | null = null;
  for (let index = 0; index < distribution.length; index++) {
    below += distribution[index] ?? 0;
    // Slightly less, so that rounding does not miss a level that is met exactly, such as 0.9375.
    if (1 - 2 * below < level - 1e-12) break;
    found = { rank: index + 1, level: 1 - 2 * below };
  }
  return found;
}

export function assertLevel(level: number): void {
  if (!(level > 0 && level < 1)) throw new RangeError(`level ${level} is not between 0 and 1`);
}

/**
 * Exact distribution of a sum of weights, if a fair coin decides for each weight whether it counts. It is the null
 * distribution of the sign test (all weights 1) and of the signed-rank test (weights are the ranks).
 *
 * @param weights whole numbers, 0 or more
 * @returns probabilities of the sums 0, 1, 2 ... up to the sum of all weights
 */
export function coinSumDistribution(weights: readonly number[]): Float64Array {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const probabilities = new Float64Array(total + 1);
  probabilities[0] = 1;
  let reached = 0;
  for (const weight of weights) {
    reached += weight;
    for (let sum = reached; sum >= 0; sum--) {
      const without = probabilities[sum] ?? 0;
      const with_ = sum >= weight ? (probabilities[sum - weight] ?? 0) : 0;
      probabilities[sum] = (without + with_) / 2;
    }
  }
  return probabilities;
}

/**
 * Interval for the median, from one order statistic to another, with an exact level (Hollander, Wolfe & Chicken, 3rd ed.,
 * 3.6; Le Boudec, "Performance Evaluation of Computer and Communication Systems", 2.2). It assumes independent values of
 * one distribution, and nothing about the shape of this distribution.
 *
 * @returns null if there are too few values for the level: 95% needs six values
 */
export function medianInterval(values: readonly number[], level: number): Interval | null {
  const distribution = coinSumDistribution(values.map(() => 1));
  return exactInterval(sortedNumbers(values), distribution, level);
}
