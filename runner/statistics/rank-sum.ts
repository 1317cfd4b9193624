import { exactInterval, type Interval, twoSidedProbability } from './exact-interval.ts';
import { assertFinite, median } from './quantiles.ts';
import { doubledMidranks } from './ranks.ts';

/**
 * Two samples without pairs, after Mann & Whitney (1947), "On a Test of Whether one of Two Random Variables is
 * Stochastically Larger than the Other", and Hodges & Lehmann (1963). Assumes that all values are independent and that the
 * two distributions differ by a shift only. Runs of A followed by runs of B break the first assumption wherever anything
 * drifts: then the answer is about the time of day.
 */

/** Median of all differences of a second value less a first one; null where either side is empty. */
export function shift(first: readonly number[], second: readonly number[]): number | null {
  return median(Array.from(differences(first, second)));
}

/**
 * Interval for the shift, of exact level at any size; ties only widen it (see `exactInterval`).
 *
 * @returns null where the values are too few for the level: 95 % needs four a side, or three against five
 */
export function rankSumInterval(first: readonly number[], second: readonly number[], level: number): Interval | null {
  const distribution = rankSumDistribution(first.length, second.length);
  return exactInterval(differences(first, second).sort(), distribution, level);
}

export interface RankSumTest {
  /** Mann-Whitney U of the second sample: pairs in which it is larger, ties counting half. */
  statistic: number;
  /** Two-sided and exact, also with ties. */
  pValue: number;
}

/** Tests whether the two samples come from one distribution. null where either side is empty. */
export function rankSumTest(first: readonly number[], second: readonly number[]): RankSumTest | null {
  assertFinite([...first, ...second]);
  if (first.length === 0 || second.length === 0) return null;
  const ranks = doubledMidranks([...first, ...second]);
  const rankSum = ranks.slice(first.length).reduce((sum, rank) => sum + rank, 0);
  return {
    statistic: rankSum / 2 - (second.length * (second.length + 1)) / 2,
    pValue: twoSidedProbability(drawnSumDistribution(ranks, second.length), rankSum),
  };
}

/**
 * Probability of each U without ties: the coefficients of the Gaussian binomial, built up by multiplying with
 * (1 - q^(m+i)) / (1 - q^i). Their lower half, which is all that is used, stays exact.
 */
export function rankSumDistribution(m: number, n: number): Float64Array {
  const counts = new Float64Array(m * n + 1);
  counts[0] = 1;
  let ways = 1;
  for (let i = 1; i <= n; i++) {
    for (let u = counts.length - 1; u >= m + i; u--) counts[u] = (counts[u] ?? 0) - (counts[u - m - i] ?? 0);
    for (let u = i; u < counts.length; u++) counts[u] = (counts[u] ?? 0) + (counts[u - i] ?? 0);
    ways *= (m + i) / i;
  }
  return counts.map((count) => count / ways);
}

/** Distribution of the sum of `draws` of the given whole numbers, every choice being equally likely. */
function drawnSumDistribution(numbers: readonly number[], draws: number): Float64Array {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  // Row j holds the probability that j are drawn so far and what they sum up to, as numbers are offered one by one.
  const rows = Array.from({ length: draws + 1 }, () => new Float64Array(total + 1));
  const [start] = rows;
  if (start) start[0] = 1;
  for (const [offered, number] of numbers.entries()) {
    const left = numbers.length - offered;
    for (let drawn = Math.min(offered + 1, draws); drawn >= 0; drawn--) {
      const row = rows[drawn];
      const previous = rows[drawn - 1];
      if (!row) continue;
      const stay = Math.max(0, 1 - (draws - drawn) / left);
      const come = Math.max(0, (draws - drawn + 1) / left);
      for (let sum = total; sum >= 0; sum--) {
        const arriving = previous && sum >= number ? (previous[sum - number] ?? 0) * come : 0;
        row[sum] = (row[sum] ?? 0) * stay + arriving;
      }
    }
  }
  return rows[draws] ?? new Float64Array(0);
}

function differences(first: readonly number[], second: readonly number[]): Float64Array {
  assertFinite([...first, ...second]);
  return Float64Array.from(first.flatMap((a) => second.map((b) => b - a)));
}
