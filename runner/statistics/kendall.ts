import { assertFinite, median } from './quantiles.ts';
import { twoSidedProbability } from './exact-interval.ts';

/**
 * Tests whether a series rises or falls. Mann (1945), "Nonparametric Tests Against Trend", with the exact distribution of
 * the number of discordant pairs (Kendall 1938). It assumes independent values under "no trend". So a series whose seconds
 * depend on each other must first be averaged over batches. Tied pairs count half, which makes the test cautious.
 *
 * @returns two-sided p-value; null for fewer than two values
 */
export function trendTest(series: readonly number[]): number | null {
  assertFinite(series);
  if (series.length < 2) return null;
  let discordant = 0;
  for (const [index, earlier] of series.entries()) {
    for (const later of series.slice(index + 1)) discordant += later < earlier ? 1 : later === earlier ? 0.5 : 0;
  }
  const pairs = (series.length * (series.length - 1)) / 2;
  const towardsMiddle = discordant < pairs / 2 ? Math.ceil(discordant) : Math.floor(discordant);
  return twoSidedProbability(inversionDistribution(series.length), towardsMiddle);
}

/**
 * Median slope over all pairs of values, as change per step (Sen 1968, after Theil 1950); null for fewer than two values.
 */
export function theilSenSlope(series: readonly number[]): number | null {
  assertFinite(series);
  return median(
    series.flatMap((earlier, index) =>
      series.slice(index + 1).map((later, distance) => (later - earlier) / (distance + 1)),
    ),
  );
}

/** Probabilities that a random order of n values has 0, 1, 2 ... inversions. */
function inversionDistribution(n: number): Float64Array {
  let probabilities = Float64Array.of(1);
  for (let size = 2; size <= n; size++) {
    const next = new Float64Array(probabilities.length + size - 1);
    for (const [inversions, probability] of probabilities.entries()) {
      for (let added = 0; added < size; added++) {
        next[inversions + added] = (next[inversions + added] ?? 0) + probability / size;
      }
    }
    probabilities = next;
  }
  return probabilities;
}
