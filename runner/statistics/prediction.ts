import { mean, variance } from './batches.ts';
import { assertLevel, type Interval } from './exact-interval.ts';
import { studentLimit } from './student.ts';

/** Fewest values from which a next one is predicted: of two, the interval would be 25 times as wide as they are apart. */
const fewest = 3;

/**
 * Interval that holds the next value with this chance: the mean, plus and minus Student's t times the standard deviation times
 * the root of 1 + 1/n (Hahn & Meeker 1991, "Statistical Intervals", 4.6). The deviation is that between the values, so it
 * has in it whatever makes them differ. Assumes that the next value comes from the same normal distribution as these.
 *
 * @returns null for fewer than three values
 */
export function predictionInterval(values: readonly number[], level: number): Interval | null {
  assertLevel(level);
  const spread = variance(values);
  if (values.length < fewest || spread === null) return null;
  const half = studentLimit(1 - level, values.length - 1) * Math.sqrt(spread * (1 + 1 / values.length));
  return { low: mean(values) - half, high: mean(values) + half, level };
}
