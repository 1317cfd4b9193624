import type { PairedTrials } from '../contract/comparison.ts';
import type { Metric } from '../contract/metric.ts';

/** The values of one pair, which may be the mean of several. */
export interface ValuePair {
  /** The trials that it comes from, one entry for a trial of either side. */
  trials: readonly PairedTrials[];
  baseline: number;
  candidate: number;
}

/** A pair whose values exist but are unknown, as those of a block that a side lost. */
export interface UnknownValue {
  trials: readonly PairedTrials[];
  baseline: null;
  candidate: null;
}

export type MaybeKnown = ValuePair | UnknownValue;

export function knownOf<Pair extends MaybeKnown>(pairs: readonly Pair[]): Extract<Pair, ValuePair>[] {
  return pairs.filter((pair): pair is Extract<Pair, ValuePair> => pair.baseline !== null);
}

/** The mean of several pairs, which is unknown if one of them is. */
export function meanIfKnown(pairs: readonly MaybeKnown[], geometric: boolean): MaybeKnown {
  const known = knownOf(pairs);
  if (known.length === pairs.length) return meanPair(known, geometric);
  return { trials: pairs.flatMap(({ trials }) => trials), baseline: null, candidate: null };
}

/** The mean of several pairs; of the logarithms if `geometric`. */
export function meanPair(pairs: readonly ValuePair[], geometric: boolean): ValuePair {
  const mean = (values: readonly number[]): number =>
    geometric
      ? Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
      : values.reduce((sum, value) => sum + value, 0) / values.length;
  return {
    trials: pairs.flatMap(({ trials }) => trials),
    baseline: mean(pairs.map(({ baseline }) => baseline)),
    candidate: mean(pairs.map(({ candidate }) => candidate)),
  };
}

/** Whether means of these values are geometric: if ratios are compared and every value has one. */
export function isGeometric(pairs: readonly ValuePair[], compared: Metric['compared']): boolean {
  return compared !== 'difference' && pairs.every(({ baseline, candidate }) => baseline > 0 && candidate > 0);
}

/**
 * Pairs the first blocks of both periods, then the second blocks, and so on. The instance that carried the baseline in one
 * period carried the candidate in the other. So the difference between the two instances cancels out of their mean (Senn,
 * "Cross-over Trials in Clinical Research", 3.6). The mean is geometric if ratios are compared and every value has one.
 */
export function crossOver(
  blocks: readonly (MaybeKnown & { period: 1 | 2 })[],
  compared: Metric['compared'],
): MaybeKnown[] {
  const [first = [], second = []] = ([1, 2] as const).map((wanted) => blocks.filter(({ period }) => period === wanted));
  const geometric = isGeometric(knownOf(blocks), compared);
  return first.flatMap((before, index) => {
    const after = second[index];
    return after ? [meanIfKnown([before, after], geometric)] : [];
  });
}
