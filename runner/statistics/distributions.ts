import { assertLevel, type Interval } from './exact-interval.ts';

/**
 * Draws from the standard normal distribution, after Box & Muller (1958).
 *
 * @param random returns numbers that are uniform from 0 to 1, without 1
 */
export function normalVariate(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * The value that a standard normal variate exceeds with this chance, to within 0.0005 (Abramowitz & Stegun 1964, "Handbook of
 * Mathematical Functions", 26.2.23).
 *
 * @param chance above 0 and at most 0.5
 */
export function normalExceededBy(chance: number): number {
  const t = Math.sqrt(-2 * Math.log(chance));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/**
 * The chance that a standard normal variate exceeds this value, to within 0.0000001 (Abramowitz & Stegun 1964, "Handbook of
 * Mathematical Functions", 26.2.17).
 */
export function chanceAbove(value: number): number {
  if (value < 0) return 1 - chanceAbove(-value);
  const t = 1 / (1 + 0.2316419 * value);
  const polynomial = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp(-(value ** 2) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}

/**
 * The chance that Student's t is at least this far from zero, on either side. With t = root of freedom times
 * tan(angle), its density is a power of the cosine, which is summed by Simpson's rule.
 *
 * @param freedom degrees of freedom, 1 or more; they need not be whole
 */
export function studentTails(statistic: number, freedom: number): number {
  const power = (angle: number): number => Math.max(0, Math.cos(angle)) ** (freedom - 1);
  const from = Math.atan(statistic / Math.sqrt(freedom));
  return simpson(power, from, Math.PI / 2) / simpson(power, 0, Math.PI / 2);
}

/**
 * How far from zero Student's t lies, on either side, with this chance; to within a millionth of it.
 *
 * @param chance above 0 and below 1, such as 0.05
 */
export function studentLimit(chance: number, freedom: number): number {
  let [low, high] = [0, 1];
  while (studentTails(high, freedom) > chance) high *= 2;
  while (high - low > 1e-7 * high) {
    const middle = (low + high) / 2;
    if (studentTails(middle, freedom) > chance) low = middle;
    else high = middle;
  }
  return high;
}

function simpson(value: (x: number) => number, from: number, to: number): number {
  const steps = 200;
  const width = (to - from) / steps;
  let sum = value(from) + value(to);
  for (let step = 1; step < steps; step++) sum += (step % 2 === 1 ? 4 : 2) * value(from + step * width);
  return (sum * width) / 3;
}

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
function binomialAtMost(successes: number, trials: number, probability: number): number {
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
