import { assertFinite, median } from './summaries.ts';

/** Whether values rise or fall in the order in which they came. */
export interface Trend {
  /** Typical change from one value to the next: the median of the slopes between any two (Theil-Sen). */
  perStep: number;
  /** Chance of a trend at least as clear, up or down, if all orders were equally likely (exact Mann-Kendall test). */
  chance: number;
}

/**
 * @param values in order; equal values count neither as up nor as down
 * @returns null for fewer than two values
 * @see H. B. Mann, "Nonparametric Tests Against Trend", 1945; P. K. Sen, "Estimates of the Regression Coefficient Based on
 *   Kendall's Tau", 1968
 */
export function trendOf(values: readonly number[]): Trend | null {
  assertFinite(values);
  const slopes: number[] = [];
  let score = 0;
  for (const [at, later] of values.entries()) {
    for (let before = 0; before < at; before++) {
      const rise = later - (values[before] ?? NaN);
      slopes.push(rise / (at - before));
      score += Math.sign(rise);
    }
  }
  const perStep = median(slopes);
  if (perStep === null) return null;
  return { perStep, chance: chanceOfScore(Math.abs(score), values.length) };
}

/** The chance of a score at least this far from zero, if all orders are equally likely. */
function chanceOfScore(score: number, count: number): number {
  const pairs = (count * (count - 1)) / 2;
  const distribution = inversionDistribution(count);
  // Orders with many pairs in the wrong order are as likely as those with as few.
  let atMost = 0;
  for (let inversions = 0; 2 * inversions <= pairs - score; inversions++) atMost += distribution[inversions] ?? 0;
  return Math.min(1, 2 * atMost);
}

const distributions = new Map<number, Float64Array>();

/**
 * Probabilities of 0, 1, 2 ... pairs in the wrong order, up to half of all pairs, if all orders of `count` values are equally
 * likely. They are kept, since an experiment asks for the same few sizes again and again.
 */
function inversionDistribution(count: number): Float64Array {
  const known = distributions.get(count);
  if (known) return known;
  const half = Math.floor((count * (count - 1)) / 4);
  let probabilities = new Float64Array(half + 1);
  let next = new Float64Array(half + 1);
  probabilities[0] = 1;
  for (let placed = 1; placed < count; placed++) {
    // The next value goes before 0 to `placed` of the earlier ones, each as likely as the others: a sum of as many
    // neighbours, of which one enters and one leaves at each step.
    const max = Math.min(half, (placed * (placed + 1)) / 2);
    let sum = 0;
    for (let inversions = 0; inversions <= max; inversions++) {
      sum += probabilities[inversions] ?? 0;
      if (inversions > placed) sum -= probabilities[inversions - placed - 1] ?? 0;
      next[inversions] = Math.max(0, sum) / (placed + 1);
    }
    [probabilities, next] = [next, probabilities];
  }
  distributions.set(count, probabilities);
  return probabilities;
}
