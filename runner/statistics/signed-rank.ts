import { coinSumDistribution } from './coin-sums.ts';
import { assertLevel, exactRank, type Interval } from './exact-interval.ts';
import { assertFinite, median } from './quantiles.ts';

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
  return median(Array.from(walshAverages(values)));
}

/**
 * Interval for the centre, with an exact level at any number of values. Ties and zeros only widen it (see `exactInterval`).
 *
 * @returns null if there are too few values for the level: 95 % needs six, 99 % eight
 */
export function signedRankInterval(values: readonly number[], level: number): Interval | null {
  assertFinite(values);
  assertLevel(level);
  const found = exactRank(signedRankDistribution(values.length), level);
  if (!found || values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const highest = (values.length * (values.length + 1)) / 2 + 1 - found.rank;
  return { low: walshAverageAt(sorted, found.rank), high: walshAverageAt(sorted, highest), level: found.level };
}

/**
 * The Walsh average of this rank, where 1 is the lowest. Not all of them are formed, which would take most of the time of a
 * simulation: how many are at most x takes one pass, x is bisected until few are left, and those are sorted (Monahan 1984,
 * "Fast Computation of the Hodges-Lehmann Location Estimator", ACM Transactions on Mathematical Software 10).
 *
 * @param sorted ascending, at least one value
 */
function walshAverageAt(sorted: Float64Array, rank: number): number {
  // The wanted one is in the first range and not in the second.
  let found = averagesUpTo(sorted, sorted[sorted.length - 1] ?? NaN);
  let below = averagesUpTo(sorted, -Infinity);
  let middle = sorted[0] ?? NaN;
  while (found.count - below.count > sorted.length && middle > below.limit && middle < found.limit) {
    const half = averagesUpTo(sorted, middle);
    if (half.count >= rank) found = half;
    else below = half;
    middle = Math.max(sorted[0] ?? NaN, below.limit) / 2 + found.limit / 2;
  }
  const left: number[] = [];
  if (found.count - below.count > sorted.length) return found.limit;
  for (const [first, value] of sorted.entries()) {
    const [from, to] = [Math.max(first, below.ends[first] ?? 0), found.ends[first] ?? 0];
    for (let last = from; last < to; last++) left.push(value / 2 + (sorted[last] ?? 0) / 2);
  }
  return Float64Array.from(left).sort()[rank - below.count - 1] ?? NaN;
}

/** Counts the Walsh averages up to a limit. `ends` has for each value where the others end with which it makes one. */
function averagesUpTo(sorted: Float64Array, limit: number): { limit: number; count: number; ends: Uint32Array } {
  const ends = new Uint32Array(sorted.length);
  let count = 0;
  let end = sorted.length;
  for (let first = 0; first < end; first++) {
    const half = (sorted[first] ?? 0) / 2;
    while (end > first && half + (sorted[end - 1] ?? 0) / 2 > limit) end--;
    ends[first] = end;
    count += end - first;
  }
  return { limit, count, ends };
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

function walshAverages(values: readonly number[]): Float64Array {
  assertFinite(values);
  const averages = new Float64Array((values.length * (values.length + 1)) / 2);
  let next = 0;
  for (const [index, first] of values.entries()) {
    for (const second of values.slice(index)) averages[next++] = first / 2 + second / 2;
  }
  return averages;
}
