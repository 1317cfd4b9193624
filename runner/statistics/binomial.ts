import { assertLevel, type Interval } from './exact-interval.ts';

/**
 * Interval for a probability from counts, after Clopper & Pearson (1934), "The Use of Confidence or Fiducial Limits
 * Illustrated in the Case of the Binomial". Its level is at least the level asked for. It assumes independent trials with
 * one probability.
 *
 * @returns null if there were no trials
 */
export function binomialInterval(successes: number, trials: number, level: number): Interval | null {
  assertLevel(level);
  if (!Number.isInteger(successes) || !Number.isInteger(trials) || successes < 0 || successes > trials) {
    throw new RangeError(`${successes} of ${trials} is not a count of successes`);
  }
  if (trials === 0) return null;
  const tail = (1 - level) / 2;
  return {
    low: successes === 0 ? 0 : solve((p) => 1 - binomialAtMost(successes - 1, trials, p), tail),
    high: successes === trials ? 1 : 1 - solve((q) => binomialAtMost(successes, trials, 1 - q), tail),
    level,
  };
}

/** P(X <= successes) of a binomial X. The sum uses logarithms, so that thousands of trials do not underflow. */
export function binomialAtMost(successes: number, trials: number, probability: number): number {
  if (successes < 0) return 0;
  if (successes >= trials || probability <= 0) return 1;
  if (probability >= 1) return 0;
  let logWays = 0;
  let sum = 0;
  for (let k = 0; k <= successes; k++) {
    if (k > 0) logWays += Math.log((trials - k + 1) / k);
    sum += Math.exp(logWays + k * Math.log(probability) + (trials - k) * Math.log1p(-probability));
  }
  return Math.min(1, sum);
}

/** The x in 0 to 1 at which a function reaches the value. The function rises from 0 to 1. */
function solve(rising: (x: number) => number, value: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 100; step++) {
    const middle = (low + high) / 2;
    if (rising(middle) < value) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
