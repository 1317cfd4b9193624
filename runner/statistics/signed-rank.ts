import { assertLevel, coinSumDistribution, exactRank, minPairs, type Interval } from './exact-interval.ts';
import { normalExceededBy } from './distributions.ts';
import { assertFinite, median } from './summaries.ts';

/**
 * Statistics of one sample of paired differences (or log-ratios), after Wilcoxon (1945), "Individual Comparisons by Ranking
 * Methods", and Hodges & Lehmann (1963), "Estimates of Location Based on Rank Tests". They assume independent values from
 * distributions that are symmetric about one centre. These need not be normal, nor equally spread. Under "no effect at
 * all", the random order within each block makes them symmetric, whatever the noise is like.
 */

/**
 * Median of the averages of all pairs of values, including each value with itself (Walsh averages); null if there are no
 * values.
 */
export function hodgesLehmann(values: readonly number[]): number | null {
  assertFinite(values);
  if (values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const middle = (values.length * (values.length + 1) + 2) / 4;
  return median([Math.floor(middle), Math.ceil(middle)].map((rank) => walshAverageAt(sorted, rank)));
}

/**
 * Interval for the centre, with an exact level at any number of values. Ties and zeros only widen it (see `exactInterval`).
 *
 * Values that exist but are unknown count as the worst case: as minus infinity for the lower end, and as plus infinity
 * for the upper end. A Walsh average never falls when one of its values rises. So whatever the unknown values were, the
 * interval of all values lies within this one, and this one covers at least as often. It is the worst case of a missing
 * value (Horowitz & Manski 1995, "Identification and Robustness with Contaminated and Corrupted Data", Econometrica
 * 63).
 *
 * @param unknown the number of further values, about which nothing is known
 * @returns null if there are too few values for the level (95% needs six, 99% eight), or if the unknown values leave
 *   an end without a bound
 */
export function signedRankInterval(values: readonly number[], level: number, unknown = 0): Interval | null {
  assertFinite(values);
  assertLevel(level);
  const found = exactRank(signedRankDistribution(values.length + unknown), level);
  if (!found || values.length === 0) return null;
  const rank = found.rank - averagesWith(unknown, values.length);
  if (rank < 1) return null;
  const sorted = Float64Array.from(values).sort();
  const highest = (values.length * (values.length + 1)) / 2 + 1 - rank;
  return { low: walshAverageAt(sorted, rank), high: walshAverageAt(sorted, highest), level: found.level };
}

/**
 * Fewest values in all, at least six, for which an interval of this level has two ends although some values are
 * unknown. With one unknown value, 95% takes 12 values.
 */
export function minWithUnknown(level: number, unknown: number): number {
  let all = Math.max(minPairs, unknown + 1);
  // Of many, the exact distributions of all smaller numbers would take minutes.
  while (unknown >= manyUnknown && aboutRank(all, level) < averagesWith(unknown, all - unknown)) all++;
  for (; all <= maxExact; all++) {
    const found = exactRank(signedRankDistribution(all), level);
    if (found && found.rank > averagesWith(unknown, all - unknown)) return all;
  }
  return all;
}

/** From here on, the normal distribution is close enough to skip numbers by it. */
const manyUnknown = 30;
/** No experiment has more blocks, so a larger number need not be exact. */
const maxExact = 1000;

/** At least the rank that the exact distribution has: that of the normal one, and what this may be too low by. */
function aboutRank(count: number, level: number): number {
  const deviation = Math.sqrt((count * (count + 1) * (2 * count + 1)) / 24);
  const error = 2 + 0.05 * deviation;
  return (count * (count + 1)) / 4 - normalExceededBy((1 - level) / 2) * deviation + error;
}

/** How many Walsh averages involve an unknown value. */
function averagesWith(unknown: number, known: number): number {
  return (unknown * (unknown + 1)) / 2 + unknown * known;
}

/**
 * The Walsh average of this rank; 1 is the lowest. To form all averages would take most of the time of a simulation.
 * Instead, one pass counts how many are at most x, x is bisected until few are left, and those are sorted (Monahan
 * 1984, "Fast Computation of the Hodges-Lehmann Location Estimator", ACM Transactions on Mathematical Software 10).
 *
 * @param sorted ascending, at least one value
 */
function walshAverageAt(sorted: Float64Array, rank: number): number {
  const n = sorted.length;
  const lowest = sorted[0] ?? NaN;
  // The wanted average is among those up to `bound`, and not among those up to `otherBound`.
  let bound = sorted[n - 1] ?? NaN;
  let count = (n * (n + 1)) / 2;
  let otherBound = -Infinity;
  let otherCount = 0;
  let middle = lowest;
  while (count - otherCount > n && middle > otherBound && middle < bound) {
    const half = countAverages(sorted, middle);
    if (half >= rank) [bound, count] = [middle, half];
    else [otherBound, otherCount] = [middle, half];
    middle = Math.max(lowest, otherBound) / 2 + bound / 2;
  }
  // No number lies between the bounds: all that are left are equal.
  if (count - otherCount > n) return bound;
  const left = new Float64Array(count - otherCount);
  let next = 0;
  eachRow(sorted, bound, (value, first, end) => {
    for (let last = end - 1; last >= first; last--) {
      const average = value + (sorted[last] ?? 0) / 2;
      if (average <= otherBound) break;
      left[next++] = average;
    }
  });
  return left.sort()[rank - otherCount - 1] ?? NaN;
}

/** How many Walsh averages are at most `limit`. */
function countAverages(sorted: Float64Array, limit: number): number {
  let count = 0;
  eachRow(sorted, limit, (_, first, end) => {
    count += end - first;
  });
  return count;
}

/**
 * Calls `visit` for each value with half of it, its index, and the end of the values whose average with it is at most
 * `limit`.
 */
function eachRow(sorted: Float64Array, limit: number, visit: (half: number, first: number, end: number) => void): void {
  let end = sorted.length;
  for (let first = 0; first < end; first++) {
    const half = (sorted[first] ?? 0) / 2;
    while (end > first && half + (sorted[end - 1] ?? 0) / 2 > limit) end--;
    visit(half, first, end);
  }
}

const distributions = new Map<number, Float64Array>();

/**
 * Probabilities of the sums 0, 1, 2 ... of the positive ranks of n values, without ties. They are kept, since an experiment
 * asks for the same few sizes again and again.
 */
export function signedRankDistribution(n: number): Float64Array {
  const known = distributions.get(n);
  if (known) return known;
  const distribution = coinSumDistribution(Array.from({ length: n }, (_, index) => index + 1));
  distributions.set(n, distribution);
  return distribution;
}
