import type { Interval } from '../statistics/exact-interval.ts';
import { fewestWithUnknown, signedRankInterval } from '../statistics/signed-rank.ts';

/** A pair of values. Only in a crossover of several exchanges does it have the exchange between its two blocks. */
export interface OfExchange {
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
export function samplesOf<Pair extends OfExchange>(
  pairs: readonly Pair[],
  unknown: readonly OfExchange[],
): Sample<Pair>[] {
  const exchanges = [...new Set([...pairs, ...unknown].map(({ exchange }) => exchange))];
  return (exchanges.length === 0 ? [undefined] : exchanges).map((without) => {
    const isIn = ({ exchange }: OfExchange): boolean => without === undefined || exchange !== without;
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
    .map((sample) => ({ ...sample, needed: fewestWithUnknown(level, sample.unknown) }))
    .find(({ pairs, unknown, needed }) => pairs.length + unknown < needed);
}

/** Such as `without exchange 2, `; empty for a sample of all pairs. */
export function withoutWords({ without }: Pick<Sample<unknown>, 'without'>): string {
  return without === undefined ? '' : `without exchange ${without}, `;
}
