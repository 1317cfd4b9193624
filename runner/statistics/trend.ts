import { median } from './quantiles.ts';

/** Whether values rise or fall in the order in which they came. */
export interface Trend {
  /** Typical change from one value to the next: the median of the slopes between any two (Theil-Sen). */
  perStep: number;
  /** Chance of a trend at least as clear, up or down, if all orders were equally likely (exact Mann-Kendall test). */
  chance: number;
}

/**
 * @param values in order; equal values say neither up nor down
 * @returns null for fewer than two values
 * @see H. B. Mann, "Nonparametric Tests Against Trend", 1945; P. K. Sen, "Estimates of the Regression Coefficient Based on
 *   Kendall's Tau", 1968
 */
export function trendOf(values: readonly number[]): Trend | null {
  const steps = values.flatMap((later, at) =>
    values.slice(0, at).map((earlier, before) => ({ rise: later - earlier, apart: at - before })),
  );
  const perStep = median(steps.map(({ rise, apart }) => rise / apart));
  if (perStep === null) return null;
  const score = Math.abs(steps.reduce((sum, { rise }) => sum + Math.sign(rise), 0));
  const chances = inversionDistribution(values.length);
  const chance = chances.reduce(
    (sum, probability, inversions) => (Math.abs(steps.length - 2 * inversions) >= score ? sum + probability : sum),
    0,
  );
  return { perStep, chance: Math.min(1, chance) };
}

/** Probabilities of 0, 1, 2 ... pairs in the wrong order, if all orders of `count` values are equally likely. */
function inversionDistribution(count: number): number[] {
  let probabilities = [1];
  for (let placed = 1; placed < count; placed += 1) {
    // The next value goes before 0 to `placed` of the earlier ones, each as likely as the others.
    const next: number[] = [];
    for (const [inversions, probability] of probabilities.entries()) {
      for (let more = 0; more <= placed; more += 1) {
        next[inversions + more] = (next[inversions + more] ?? 0) + probability / (placed + 1);
      }
    }
    probabilities = next;
  }
  return probabilities;
}
