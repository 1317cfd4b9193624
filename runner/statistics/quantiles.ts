/**
 * Quantile of type 7 in the terms of Hyndman & Fan (1996), "Sample Quantiles in Statistical Packages", The American
 * Statistician 50(4): linear between order statistics; what R, NumPy and Excel do unless told otherwise. Assumes nothing
 * about the distribution.
 *
 * @param values in any order, infinities allowed
 * @param probability from 0 to 1
 * @returns null where there are no values, or halfway between minus and plus infinity
 * @throws RangeError for NaN and for a probability outside 0 to 1
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

/** The middle value, or halfway between the two middle ones; null where there are no values. */
export function median(values: readonly number[]): number | null {
  return quantile(values, 0.5);
}

/** @throws RangeError for NaN, which has no place in any order. */
export function sortedNumbers(values: readonly number[]): Float64Array {
  if (values.some(Number.isNaN)) throw new RangeError('NaN among the values');
  return Float64Array.from(values).sort();
}

/** @throws RangeError unless every value is finite: for statistics of sums and differences. */
export function assertFinite(values: readonly number[]): void {
  const bad = values.find((value) => !Number.isFinite(value));
  if (bad !== undefined) throw new RangeError(`${bad} among the values`);
}
