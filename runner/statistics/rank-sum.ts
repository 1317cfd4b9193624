import { exactInterval, type Interval, twoSidedProbability } from './exact-interval.ts';
import { assertFinite, median } from './quantiles.ts';
import { doubledMidranks } from './ranks.ts';

/**
 * Statistics of two samples without pairs, after Mann & Whitney (1947), "On a Test of Whether one of Two Random Variables
 * is Stochastically Larger than the Other", and Hodges & Lehmann (1963). They assume that all values are independent, and
 * that the two distributions differ only by a shift. If all runs of A come before all runs of B, any drift breaks the first
 * assumption: then the answer is about the time of day.
 */

/** Median of all differences, second value minus first value; null if either sample is empty. */
export function shift(first: readonly number[], second: readonly number[]): number | null {
  return median(Array.from(differences(first, second)));
}

/**
 * Interval for the shift, with an exact level at any size. Ties only widen it (see `exactInterval`).
 *
 * @returns null if there are too few values for the level: 95 % needs four on each side, or three and five
 */
export function rankSumInterval(first: readonly number[], second: readonly number[], level: number): Interval | null {
  const distribution = rankSumDistribution(first.length, second.length);
  return exactInterval(differences(first, second).sort(), distribution, level);
}

export interface RankSumTest {
  /** Mann-Whitney U of the second sample: the number of pairs in which its value is larger. Ties count half. */
  statistic: number;
  /** Two-sided and exact, also with ties. */
  pValue: number;
}

/** Tests whether the two samples come from one distribution; null if either is empty. */
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
 * Probabilities of U = 0, 1, 2 ... m n without ties. The counts are coefficients of the Gaussian binomial; it is built by
 * multiplying with (1 - q^(m+i)) / (1 - q^i). Their lower half stays exact, and only this half is used.
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

/** Distribution of the sum of `draws` of the given whole numbers, if every choice is equally likely. */
function drawnSumDistribution(numbers: readonly number[], draws: number): Float64Array {
  const total = numbers.reduce((sum, number) => sum + number, 0);
  // Numbers are offered one by one. Row j holds the probability of each sum together with j numbers drawn so far.
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
