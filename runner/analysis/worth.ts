import type { Comparison } from '../contract/comparison.ts';
import type { ResultVariant, VariantCost } from '../contract/run-record.ts';
import { levelKey } from '../contract/trial.ts';
import { studentLimit } from '../statistics/distributions.ts';
import { differenceOfMeans, ratioOfTotals } from '../statistics/summaries.ts';
import { addable, finiteOrNull } from './side-values.ts';

/** An estimate with a range about it; its ends are null if nothing bounds its error. */
export interface Span {
  value: number;
  low: number | null;
  high: number | null;
}

/** How much more throughput a candidate has, and for how much more money. Changes are relative: 0.1 is +10%. */
export interface Worth {
  /** The comparison by TPS that it is made from. */
  comparison: Comparison;
  /** Of all blocks together. */
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
   * Further transactions a second for each further 100 dollars a month; null if the candidate costs no more.
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
  const visited = new Set<string>();
  return comparisons
    .filter(({ metric, change }) => metric === 'tps' && change !== null)
    .sort((a, b) => Number(b.primary) - Number(a.primary))
    .flatMap((comparison) => {
      const { baseline, candidate, conditions } = comparison;
      const pair = JSON.stringify([baseline.variant, candidate.variant, levelKey(conditions)]);
      const [before, after] = [costs.get(baseline.variant), costs.get(candidate.variant)];
      // With replicas, the same pair is described once more by pair of instances.
      if (visited.has(pair) || !before?.dollarsPerMonth || !after?.dollarsPerMonth) return [];
      visited.add(pair);
      return [worth(comparison, before, after)];
    });
}

function worth(comparison: Comparison, before: VariantCost, after: VariantCost): Worth {
  const throughput = throughputOf(comparison);
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
  const [min, max] = [more.low ?? more.value, more.high ?? more.value];
  // Takes the price that makes the end lower or higher: a gain is worth less for more money, a loss is worse for less.
  const ends = (tps: number) => [per100(tps, min), per100(tps, max)];
  return {
    comparison,
    throughput,
    cost,
    more,
    perDollar,
    tpsPer100:
      min <= 0
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
 * The change of all blocks together. Money is paid for every trial, also for those that stall, so the typical block
 * decides nothing here. The error is the jackknife's, times Student's t at the level of the comparison's interval: it
 * assumes blocks without rare stalls. Unknown pairs leave it without a bound.
 */
function throughputOf({ change, pairs, ...comparison }: Comparison): Span {
  const sums = ratioOfTotals(addable(pairs));
  if (sums === null) return { value: change ?? 0, low: null, high: null };
  const { ratio, low, high } = sums;
  const errors = errorsOf(pairs.length, comparison);
  const endAt = (bound: number): number | null => finiteOrNull(ratio * (bound / ratio) ** (errors / 2) - 1);
  return { value: ratio - 1, low: endAt(low), high: endAt(high) };
}

/** Further transactions a second: the difference of the means. Without pairs, it is that of the medians. */
function gainOf({ pairs, baseline, candidate, ...comparison }: Comparison): Span {
  const means = differenceOfMeans(addable(pairs));
  if (means === null) {
    return { value: (candidate.median ?? Number.NaN) - (baseline.median ?? Number.NaN), low: null, high: null };
  }
  const { difference, low, high } = means;
  const errors = errorsOf(pairs.length, comparison);
  const endAt = (bound: number): number | null => finiteOrNull(difference + ((bound - difference) * errors) / 2);
  return { value: difference, low: endAt(low), high: endAt(high) };
}

/** How many standard errors lie on either side; NaN if nothing bounds the error. */
function errorsOf(
  pairs: number,
  { interval, unknownPairs = 0 }: Pick<Comparison, 'interval' | 'unknownPairs'>,
): number {
  return interval === null || unknownPairs > 0 ? Number.NaN : studentLimit(1 - interval.level, pairs - 1);
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
