import { coinSumDistribution } from './coin-sums.ts';
import { exactInterval, type Interval } from './exact-interval.ts';
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
  return exactInterval(walshAverages(values).sort(), signedRankDistribution(values.length), level);
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
