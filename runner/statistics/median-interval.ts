import { coinSumDistribution } from './coin-sums.ts';
import { exactInterval, type Interval } from './exact-interval.ts';
import { sortedNumbers } from './quantiles.ts';

/**
 * Interval for the median, from one order statistic to another, with an exact level (Hollander, Wolfe & Chicken, 3rd ed.,
 * 3.6; Le Boudec, "Performance Evaluation of Computer and Communication Systems", 2.2). It assumes independent values of
 * one distribution, and nothing about the shape of this distribution.
 *
 * @returns null if there are too few values for the level: 95 % needs six
 */
export function medianInterval(values: readonly number[], level: number): Interval | null {
  const distribution = coinSumDistribution(values.map(() => 1));
  return exactInterval(sortedNumbers(values), distribution, level);
}
