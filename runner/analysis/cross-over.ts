import type { PairedTrials } from '../contract/comparison.ts';
import { periodsNextTo } from '../contract/plan.ts';
import type { Metric } from '../contract/metric.ts';
import type { OfExchange } from './exchanges-left-out.ts';

/** The values of one pair, which may be the mean of several. */
export interface ValuePair extends OfExchange {
  /** The trials that it comes from, one entry for each pair of trials. */
  trials: readonly PairedTrials[];
  baseline: number;
  candidate: number;
}

/** A pair whose values exist but are unknown, such as those of a block that a side lost. */
export interface UnknownValue extends OfExchange {
  trials: readonly PairedTrials[];
  baseline: null;
  candidate: null;
}

export type MaybeKnown = ValuePair | UnknownValue;

export function knownOf<Pair extends MaybeKnown>(pairs: readonly Pair[]): Extract<Pair, ValuePair>[] {
  return pairs.filter((pair): pair is Extract<Pair, ValuePair> => pair.baseline !== null);
}

/** The mean of several pairs; unknown if one of them is. */
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
 * Pairs the blocks before each exchange with those after it: the last before with the first after, the second to last
 * with the second, and so on. The instance that carried the baseline on one side of the exchange carried the candidate
 * on the other. So the difference between the two instances cancels out of their mean (Senn, "Cross-over Trials in
 * Clinical Research", 3.6). The mean is geometric if ratios are compared and every value has one.
 *
 * @param exchanges the planned number: if there is only one, none can be left out
 */
export function crossOver(
  blocks: readonly (MaybeKnown & { period: number })[],
  compared: Metric['compared'],
  exchanges: number,
): MaybeKnown[] {
  const geometric = isGeometric(knownOf(blocks), compared);
  return Array.from({ length: exchanges }, (_, index) => index + 1).flatMap((exchange) => {
    const [before = [], behind = []] = periodsNextTo(exchange).map((wanted) =>
      blocks.filter(({ period }) => period === wanted),
    );
    return before.flatMap((block, index) => {
      const partner = behind[before.length - 1 - index];
      if (!partner) return [];
      return [{ ...meanIfKnown([block, partner], geometric), ...(exchanges > 1 && { exchange }) }];
    });
  });
}
