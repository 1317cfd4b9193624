import type { Metric } from '../contract/metric.ts';
import { fewestPairsFor, type Interval } from '../statistics/exact-interval.ts';
import { median } from '../statistics/quantiles.ts';
import { hodgesLehmann, signedRankInterval } from '../statistics/signed-rank.ts';
import { ratioOfTotals } from '../statistics/totals.ts';

/** How much the candidate differs, on the scale on which the metric is compared. */
export interface Estimate {
  /** In words, for the report. */
  method: string;
  /** A relative change (0.1 is +10 %), or a difference for shares; null if it cannot be calculated. */
  change: number | null;
  interval: Interval | null;
}

type ComparedBy = NonNullable<Metric['compared']>;

/** How values become numbers that can be subtracted, and how such a difference becomes a change. */
interface Scale {
  words: string;
  apply: (value: number) => number;
  changeOf: (difference: number) => number;
}

/** An estimate from pairs, with the change of each pair. */
export interface PairedEstimate extends Estimate {
  changes: (number | null)[];
}

/** One value of each side. */
export interface ValuesOfPair {
  baseline: number;
  candidate: number;
}

/**
 * Estimates the change from pairs of values.
 *
 * @param options.level of the interval; null where the order was not drawn by chance, so that no interval has a level
 * @param options.unit what a pair is, such as `block`
 */
export function estimatePaired(
  pairs: readonly ValuesOfPair[],
  compared: ComparedBy,
  { level, unit = 'block' }: { level: number | null; unit?: string },
): PairedEstimate {
  const [before, after] = [pairs.map(({ baseline }) => baseline), pairs.map(({ candidate }) => candidate)];
  const scale = scaleFor(compared, before, after);
  const differences = pairs.map(({ baseline, candidate }) => scale.apply(candidate) - scale.apply(baseline));
  const changes = differences.map((difference) => finiteOrNull(scale.changeOf(difference)));
  if (compared === 'totals') return { ...estimateTotals(pairs), changes };

  const center = hodgesLehmann(differences);
  const found = level === null ? null : signedRankInterval(differences, level);
  const low = found && finiteOrNull(scale.changeOf(found.low));
  const high = found && finiteOrNull(scale.changeOf(found.high));
  const interval = found && low !== null && high !== null ? { ...found, low, high } : null;
  const how = interval ? 'exact Wilcoxon signed-rank interval' : `no interval: ${whyNone(pairs.length, level, unit)}`;
  return {
    method: `paired by ${unit}: Hodges-Lehmann estimate on ${scale.words}, ${how}`,
    change: center === null ? null : finiteOrNull(scale.changeOf(center)),
    interval,
    changes,
  };
}

/** Describes runs that belong to no blocks by their medians, as the published studies do. */
export function estimateUnpaired(
  baseline: readonly number[],
  candidate: readonly number[],
  compared: ComparedBy,
): Estimate {
  const scale = scaleFor(compared, baseline, candidate);
  const [before, after] = [median(baseline), median(candidate)];
  const difference = before === null || after === null ? null : scale.apply(after) - scale.apply(before);
  return {
    method: 'unpaired: from the medians, no interval: the runs belong to no blocks',
    change: difference === null ? null : finiteOrNull(scale.changeOf(difference)),
    interval: null,
  };
}

function estimateTotals(pairs: readonly ValuesOfPair[]): Estimate {
  const found = ratioOfTotals(pairs);
  return {
    method: 'ratio of the sums over all pairs',
    change: found === null ? null : finiteOrNull(found.ratio - 1),
    interval: null,
  };
}

/** Ratios if every value is above zero, otherwise differences. A change that cannot be calculated is NaN. */
function scaleFor(compared: ComparedBy, baseline: readonly number[], candidate: readonly number[]): Scale {
  const asIs = (value: number): number => value;
  if (compared === 'difference') return { words: 'differences', apply: asIs, changeOf: asIs };
  if ([...baseline, ...candidate].every((value) => value > 0)) {
    return { words: 'log-ratios', apply: Math.log, changeOf: Math.expm1 };
  }
  const level = median(baseline) ?? 0;
  return {
    words: 'differences relative to the baseline’s median (a value of zero has no ratio)',
    apply: asIs,
    changeOf: (difference) => (level > 0 ? difference / level : NaN),
  };
}

/** Such as `6 complete blocks, and 7 are needed`. */
function whyNone(n: number, level: number | null, unit: string): string {
  if (n === 0) return 'there is nothing to compare';
  if (level === null) return 'the order was not drawn by chance';
  const needed = fewestPairsFor(level);
  // The plural of `pair of blocks` is `pairs of blocks`.
  return n < needed
    ? `${n} complete ${n === 1 ? unit : unit.replace(/^\w+/, '$&s')}, and ${needed} are needed`
    : 'the values have no ratio';
}

/** The value without the sign of a negative zero, which JSON does not keep; null if it is not finite. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}
