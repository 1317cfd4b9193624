import { mean } from './summaries.ts';
import { normalExceededBy } from './distributions.ts';

/** How far values lie from the mean of their own group, with what is needed to say how sure that is. */
export interface Spread {
  /** Sample standard deviation within the groups. */
  standardDeviation: number;
  /** The number of values, less one for each group. */
  degreesOfFreedom: number;
}

/**
 * The standard deviation within groups whose means may differ (pooled).
 *
 * @returns null if no group has two values
 */
export function spreadWithin(groups: readonly (readonly number[])[]): Spread | null {
  const filled = groups.filter((group) => group.length > 0);
  const degreesOfFreedom = filled.reduce((sum, group) => sum + group.length - 1, 0);
  if (degreesOfFreedom === 0) return null;
  const squares = filled.flatMap((group) => group.map((value) => (value - mean(group)) ** 2));
  return {
    standardDeviation: Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / degreesOfFreedom),
    degreesOfFreedom,
  };
}

/**
 * A standard deviation that the true one exceeds with a chance of one in five. Assumes independent normal values, whose
 * squares then have a chi-square distribution. Planning by such a bound instead of the pilot's own value keeps the promised
 * power for four pilots of five (Browne 1995, "On the use of a pilot sample for sample size determination", Statistics in
 * Medicine 14).
 */
export function upperSpread({ standardDeviation, degreesOfFreedom }: Spread): number {
  return standardDeviation * Math.sqrt(degreesOfFreedom / chiSquareQuantile(-normalExceededBy(0.2), degreesOfFreedom));
}

/**
 * A standard deviation that the true one is as likely to exceed as not. That of a few values is more often below it.
 */
export function medianSpread({ standardDeviation, degreesOfFreedom }: Spread): number {
  return standardDeviation * Math.sqrt(degreesOfFreedom / chiSquareQuantile(0, degreesOfFreedom));
}

/**
 * Approximate quantile of the chi-square distribution, after Wilson & Hilferty (1931), "The Distribution of Chi-Square". The
 * bounds above come out within 1% from two degrees of freedom on, and within 8% for one.
 *
 * @param normal the same quantile of the standard normal distribution
 */
function chiSquareQuantile(normal: number, degreesOfFreedom: number): number {
  const part = 2 / (9 * degreesOfFreedom);
  return degreesOfFreedom * (1 - part + normal * Math.sqrt(part)) ** 3;
}
