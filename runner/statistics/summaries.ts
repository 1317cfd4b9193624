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
