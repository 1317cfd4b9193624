import type { PairedTrials } from '../contract/comparison.ts';
import { periodsNextTo } from '../contract/plan.ts';
import type { Metric } from '../contract/metric.ts';
import type { Interval } from '../statistics/exact-interval.ts';
import { mean } from '../statistics/summaries.ts';
import { minWithUnknown, signedRankInterval } from '../statistics/signed-rank.ts';

/** The values of one pair, which may be the mean of several. */
export interface ValuePair extends AtCrossover {
  /** The trials that it comes from, one entry for each pair of trials. */
  trials: readonly PairedTrials[];
  baseline: number;
  candidate: number;
  /** Where the values are geometric means: the arithmetic ones, which totals add up. */
  means?: Sides | undefined;
}

interface Sides {
  baseline: number;
  candidate: number;
}

/** A pair whose values exist but are unknown, such as those of a block that a side lost. */
export interface UnknownValue extends AtCrossover {
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
function meanPair(pairs: readonly ValuePair[], geometric: boolean): ValuePair {
  const sidesBy = (meanOf: (values: readonly number[]) => number): Sides => ({
    baseline: meanOf(pairs.map(({ baseline }) => baseline)),
    candidate: meanOf(pairs.map(({ candidate }) => candidate)),
  });
  const trials = pairs.flatMap((pair) => pair.trials);
  if (!geometric) return { trials, ...sidesBy(mean) };
  const logMean = (values: readonly number[]): number => Math.exp(mean(values.map(Math.log)));
  return { trials, ...sidesBy(logMean), ...(pairs.length > 1 && { means: sidesBy(mean) }) };
}

/** Whether means of these values are geometric: if ratios of each pair are compared and every value has one. */
export function isGeometric(pairs: readonly ValuePair[], compared: Metric['compared']): boolean {
  return (compared ?? 'ratio') === 'ratio' && pairs.every(({ baseline, candidate }) => baseline > 0 && candidate > 0);
}

/**
 * Pairs the blocks before each exchange with those after it: the last before with the first after, the second to last
 * with the second, and so on. The instance that carried the baseline on one side of the exchange carried the candidate
 * on the other. So the difference between the two instances cancels out of their mean (Senn, "Cross-over Trials in
 * Clinical Research", 3.6). The mean is geometric if ratios are compared and every value has one.
 *
 * @param exchanges the planned number: if there is only one, none can be left out
 */
export function crossoverPairs(
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

/** A pair of values. Only in a crossover of several exchanges does it have the exchange between its two blocks. */
export interface AtCrossover {
  exchange?: number | undefined;
}

/** Pairs that an interval comes from. */
export interface Sample<Pair> {
  pairs: Pair[];
  /** How many further pairs there are whose values are unknown. */
  unknown: number;
  /** The exchange whose pairs are left out; undefined if it has all pairs. */
  without: number | undefined;
}

/**
 * One sample of all pairs. A crossover of several exchanges has one sample for each exchange instead, without the pairs
 * of that exchange. A host that changes in mid-run spoils the pairs with one block before the change and one after it.
 * These belong to one exchange, since every exchange has two periods of its own. Which exchange that is, is unknown, so
 * every claim must hold for all of these samples.
 */
export function samplesOf<Pair extends AtCrossover>(
  pairs: readonly Pair[],
  unknown: readonly AtCrossover[],
): Sample<Pair>[] {
  const exchanges = [...new Set([...pairs, ...unknown].map(({ exchange }) => exchange))];
  return (exchanges.length === 0 ? [undefined] : exchanges).map((without) => {
    const isIn = ({ exchange }: AtCrossover): boolean => without === undefined || exchange !== without;
    return { pairs: pairs.filter(isIn), unknown: unknown.filter(isIn).length, without };
  });
}

/**
 * The exact signed-rank interval; for several samples, from the lowest end to the highest. At least one sample is not
 * spoilt. Its interval lies within this one, which therefore covers at least as often.
 *
 * @param valueOf such as the log-ratio of a pair
 * @returns null if a sample is too small
 */
export function intervalOfSamples<Pair>(
  samples: readonly Sample<Pair>[],
  valueOf: (pair: Pair) => number,
  level: number,
): Interval | null {
  const found = samples.map(({ pairs, unknown }) => signedRankInterval(pairs.map(valueOf), level, unknown));
  const intervals = found.filter((interval) => interval !== null);
  if (intervals.length < found.length || intervals.length === 0) return null;
  return {
    low: Math.min(...intervals.map(({ low }) => low)),
    high: Math.max(...intervals.map(({ high }) => high)),
    level: Math.min(...intervals.map((interval) => interval.level)),
  };
}

/**
 * The first sample that is too small for an interval of this level, and how many pairs it needs; undefined if none is.
 */
export function tooSmall<Pair>(
  samples: readonly Sample<Pair>[],
  level: number,
): (Sample<Pair> & { needed: number }) | undefined {
  return samples
    .map((sample) => ({ ...sample, needed: minWithUnknown(level, sample.unknown) }))
    .find(({ pairs, unknown, needed }) => pairs.length + unknown < needed);
}

/** Such as `without exchange 2, `; empty for a sample of all pairs. */
export function withoutWords({ without }: Pick<Sample<unknown>, 'without'>): string {
  return without === undefined ? '' : `without exchange ${without}, `;
}
