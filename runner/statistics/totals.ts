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
