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
