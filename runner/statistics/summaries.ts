/**
 * Quantile of type 7 of Hyndman & Fan (1996), "Sample Quantiles in Statistical Packages", The American Statistician 50(4):
 * linear between order statistics. It is the default of R, NumPy and Excel. It assumes nothing about the distribution.
 *
 * @param values in any order; infinities are allowed
 * @param probability from 0 to 1
 * @returns null if there are no values, or if it lies between minus and plus infinity
 * @throws {RangeError} for NaN, and for a probability outside 0 to 1
 */
export function quantile(values: readonly number[], probability: number): number | null {
  if (!(probability >= 0 && probability <= 1)) throw new RangeError(`probability ${probability} is not in 0 to 1`);
  const sorted = sortedNumbers(values);
  const position = (sorted.length - 1) * probability;
  const lower = sorted[Math.floor(position)];
  const upper = sorted[Math.ceil(position)];
  if (lower === undefined || upper === undefined) return null;
  if (lower === upper) return lower;
  const fraction = position - Math.floor(position);
  const value = Number.isFinite(upper - lower) ? lower + fraction * (upper - lower) : lower + upper;
  return Number.isNaN(value) ? null : value;
}

/** The middle value, or halfway between the two middle values; null if there are no values. */
export function median(values: readonly number[]): number | null {
  return quantile(values, 0.5);
}

/**
 * The values in ascending order.
 *
 * @throws {RangeError} for NaN, which has no place in any order
 */
export function sortedNumbers(values: readonly number[]): Float64Array {
  if (values.some(Number.isNaN)) throw new RangeError('NaN among the values');
  return Float64Array.from(values).sort();
}

/**
 * Guards statistics of sums and differences.
 *
 * @throws {RangeError} if a value is not finite
 */
export function assertFinite(values: readonly number[]): void {
  const bad = values.find((value) => !Number.isFinite(value));
  if (bad !== undefined) throw new RangeError(`${bad} among the values`);
}

/** Means of consecutive batches of `size` values. An incomplete last batch is left out. */
export function batchMeans(series: readonly number[], size: number): number[] {
  return Array.from({ length: Math.floor(series.length / size) }, (_, batch) =>
    mean(series.slice(batch * size, (batch + 1) * size)),
  );
}

/** The arithmetic mean. It needs at least one value. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sample variance, with divisor n - 1; null for fewer than two values. */
export function variance(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const center = mean(values);
  return values.reduce((sum, value) => sum + (value - center) ** 2, 0) / (values.length - 1);
}

/**
 * Ratio of the sums of two paired lists, with two standard errors by the jackknife (Quenouille 1956; Tukey 1958) over
 * the pairs. It weighs a pair by its size, so it shows a few bad trials of one side, which a median of pairs hides.
 * Assumes independent pairs. With few pairs, the error is itself uncertain, so it serves as a check and not as an
 * interval.
 *
 * @param pairs values above zero
 * @returns the ratio (1 is no difference) and its bounds, computed on the log scale and converted back; null for fewer
 *   than two pairs or for sums of 0; no bounds (0 and Infinity) if all of a side comes from one pair
 */
export function ratioOfTotals(
  pairs: readonly { baseline: number; candidate: number }[],
): { ratio: number; low: number; high: number } | null {
  const n = pairs.length;
  const sums = { baseline: 0, candidate: 0 };
  for (const { baseline, candidate } of pairs) {
    sums.baseline += baseline;
    sums.candidate += candidate;
  }
  if (n < 2 || !(sums.baseline > 0) || !(sums.candidate > 0)) return null;
  const ratio = sums.candidate / sums.baseline;
  const left = pairs.map(({ baseline, candidate }) => [sums.baseline - baseline, sums.candidate - candidate] as const);
  // All of a side comes from one pair: nothing bounds the error.
  if (left.flat().some((sum) => !(sum > 0))) return { ratio, low: 0, high: Infinity };
  const without = left.map(([baseline, candidate]) => Math.log(candidate / baseline));
  const center = without.reduce((sum, value) => sum + value, 0) / n;
  const squares = without.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const twoErrors = 2 * Math.sqrt(((n - 1) / n) * squares);
  return { ratio, low: ratio * Math.exp(-twoErrors), high: ratio * Math.exp(twoErrors) };
}

/**
 * Difference of the means of two paired lists with two standard errors, for values that are compared by differences. It
 * does for them what the ratio of the sums does for ratios: it shows a few bad trials of one side. Assumes independent
 * pairs.
 *
 * @returns null for fewer than two pairs
 */
export function differenceOfMeans(
  pairs: readonly { baseline: number; candidate: number }[],
): { difference: number; low: number; high: number } | null {
  const n = pairs.length;
  if (n < 2) return null;
  const differences = pairs.map(({ baseline, candidate }) => candidate - baseline);
  const difference = differences.reduce((sum, value) => sum + value, 0) / n;
  const squares = differences.reduce((sum, value) => sum + (value - difference) ** 2, 0);
  const twoErrors = 2 * Math.sqrt(squares / (n - 1) / n);
  return { difference, low: difference - twoErrors, high: difference + twoErrors };
}
