import type { Comparison } from '../contract/comparison.ts';
import type { ResultVariant, VariantCost } from '../contract/run-record.ts';
import { levelKey } from '../contract/trial.ts';
import { hodgesLehmann } from '../statistics/signed-rank.ts';
import { intervalOfSamples, type OfExchange, samplesOf } from './cross-over.ts';

/** An estimate with the ends of its interval; they are null without an interval. */
export interface Span {
  value: number;
  low: number | null;
  high: number | null;
}

/** How much more throughput a candidate has, and for how much more money. Changes are relative: 0.1 is +10 %. */
export interface Worth {
  /** The comparison by TPS that it is made from. */
  comparison: Comparison;
  throughput: Span;
  /**
   * Change of the cost. Its ends differ only if sources disagree on a price of which the two sides pay different
   * amounts.
   */
  cost: Span;
  /** US dollars a month that the candidate costs more. */
  more: Span;
  /** Change of the throughput that a dollar buys. */
  perDollar: Span;
  /**
   * Further transactions a second for each further 100 dollars a month; null if the candidate costs no more. Its interval has
   * the level of the comparison's.
   */
  tpsPer100: Span | null;
  /** Whether a dedicated log volume is all that costs more. */
  forLogVolume: boolean;
}

/**
 * What every comparison by TPS is worth, one entry for each pair of variants at each level. Empty if a cost is not
 * known.
 */
export function worthOf(comparisons: readonly Comparison[], variants: readonly ResultVariant[]): Worth[] {
  const costs = new Map(variants.map(({ name, cost }) => [name, cost]));
  const seen = new Set<string>();
  return comparisons
    .filter(({ metric, change }) => metric === 'tps' && change !== null)
    .sort((a, b) => Number(b.primary) - Number(a.primary))
    .flatMap((comparison) => {
      const { baseline, candidate, conditions } = comparison;
      const pair = JSON.stringify([baseline.variant, candidate.variant, levelKey(conditions)]);
      const [before, after] = [costs.get(baseline.variant), costs.get(candidate.variant)];
      // With replicas, the same pair is described once more by pair of instances.
      if (seen.has(pair) || !before?.dollarsPerMonth || !after?.dollarsPerMonth) return [];
      seen.add(pair);
      return [worth(comparison, before, after)];
    });
}

function worth(comparison: Comparison, before: VariantCost, after: VariantCost): Worth {
  const { change, interval } = comparison;
  const throughput: Span = { value: change ?? 0, low: interval?.low ?? null, high: interval?.high ?? null };
  const sums = sumsAtEachPrice(before, after);
  const cost = spanOf(sums.map(([from, to]) => to / from - 1));
  const more = spanOf(sums.map(([from, to]) => to - from));
  const cheaper = cost.low ?? cost.value;
  const dearer = cost.high ?? cost.value;
  const perDollar = {
    value: (1 + throughput.value) / (1 + cost.value) - 1,
    low: throughput.low === null ? null : (1 + throughput.low) / (1 + dearer) - 1,
    high: throughput.high === null ? null : (1 + throughput.high) / (1 + cheaper) - 1,
  };
  const gain = gainOf(comparison);
  const per100 = (tps: number, dollars: number): number => tps / (dollars / 100);
  const [least, most] = [more.low ?? more.value, more.high ?? more.value];
  // Takes the price that makes the end lower or higher: a gain is worth less for more money, a loss is worse for less.
  const ends = (tps: number) => [per100(tps, least), per100(tps, most)];
  return {
    comparison,
    throughput,
    cost,
    more,
    perDollar,
    tpsPer100:
      least <= 0
        ? null
        : {
            value: per100(gain.value, more.value),
            low: gain.low === null ? null : Math.min(...ends(gain.low)),
            high: gain.high === null ? null : Math.max(...ends(gain.high)),
          },
    forLogVolume: isLogVolumeAlone(before, after),
  };
}

/**
 * Further transactions a second, from the differences within the pairs: their Hodges-Lehmann estimate and its exact
 * signed-rank interval. A relative change times the baseline's median would leave out the uncertainty of that median,
 * which is most of it if blocks differ more than their two sides do. Unknown pairs widen this interval as they widen
 * that of the change. Without pairs, the value is the difference of the medians.
 */
function gainOf(comparison: Comparison): Span {
  const { pairs, interval, baseline, candidate } = comparison;
  const gainIn = (pair: (typeof pairs)[number]): number => pair.candidate - pair.baseline;
  const found = interval && intervalOfSamples(samplesOf(pairs, unknownIn(comparison)), gainIn, interval.level);
  const value = hodgesLehmann(pairs.map(gainIn)) ?? (candidate.median ?? Number.NaN) - (baseline.median ?? Number.NaN);
  return { value, low: found?.low ?? null, high: found?.high ?? null };
}

/** The unknown pairs, each with its exchange if there are several. */
function unknownIn({ unknownPairs = 0, unknownExchanges = [] }: Comparison): OfExchange[] {
  return Array.from({ length: unknownPairs }, (_, index) => ({ exchange: unknownExchanges[index] }));
}

/**
 * What both sides cost a month: at the middle of every price, then at each combination of their ends. A price is the
 * same on both sides, so the part that they share makes no difference between them, however uncertain it is.
 */
function sumsAtEachPrice(before: VariantCost, after: VariantCost): [from: number, to: number][] {
  const uncertain = [...before.parts, ...after.parts].filter(
    ({ dollarsPerMonth }) => dollarsPerMonth !== null && dollarsPerMonth.low !== dollarsPerMonth.high,
  );
  const units = [...new Set(uncertain.map(({ unit }) => unit))];
  const combinations = units.reduce<ReadonlyMap<string, number>[]>(
    (all, unit) => all.flatMap((one) => [0, 1].map((share) => new Map([...one, [unit, share]]))),
    [new Map()],
  );
  return [new Map<string, number>(), ...combinations].map((shares) => {
    const sum = ({ parts }: VariantCost): number =>
      parts.reduce((all, { unit, dollarsPerMonth }) => {
        const { low = 0, high = 0 } = dollarsPerMonth ?? {};
        return all + low + (shares.get(unit) ?? 0.5) * (high - low);
      }, 0);
    return [sum(before), sum(after)];
  });
}

function spanOf([value = Number.NaN, ...ends]: readonly number[]): Span {
  return { value, low: Math.min(...ends), high: Math.max(...ends) };
}

function isLogVolumeAlone(before: VariantCost, after: VariantCost): boolean {
  const without = ({ parts }: VariantCost): string =>
    JSON.stringify(parts.flatMap(({ logVolume, what }) => (logVolume ? [] : [what])));
  const has = ({ parts }: VariantCost): boolean => parts.some(({ logVolume }) => logVolume);
  return has(after) && !has(before) && without(before) === without(after);
}
