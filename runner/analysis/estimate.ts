import { fewestPairs, type Interval } from '../statistics/exact-interval.ts';
import { median } from '../statistics/quantiles.ts';
import { rankSumInterval, shift } from '../statistics/rank-sum.ts';
import { hodgesLehmann, signedRankInterval } from '../statistics/signed-rank.ts';
import type { Metric } from '../contract/metric.ts';

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

/** Estimates the change from pairs of values. Each pair comes from one block, or from two in a crossover. */
export function estimatePaired(
  pairs: readonly { baseline: number; candidate: number }[],
  compared: ComparedBy,
  level: number,
  { crossover = false }: { crossover?: boolean } = {},
): PairedEstimate {
  const scale = scaleFor(
    compared,
    pairs.map(({ baseline }) => baseline),
    pairs.map(({ candidate }) => candidate),
  );
  const differences = pairs.map(({ baseline, candidate }) => scale.apply(candidate) - scale.apply(baseline));
  const n = pairs.length;
  const found = estimate(scale, {
    method: `paired by block${crossover ? ', each with one from after the cross-over' : ''}: Hodges-Lehmann estimate on ${scale.words}`,
    difference: hodgesLehmann(differences),
    interval: n < fewestPairs ? null : signedRankInterval(differences, level),
    intervalWords: 'exact Wilcoxon signed-rank interval',
    whyNone: tooFew(`${n} complete ${crossover ? 'pairs of ' : ''}${n === 1 ? 'block' : 'blocks'}`, n, level),
  });
  return { ...found, changes: differences.map((difference) => finiteOrNull(scale.changeOf(difference))) };
}

/**
 * Estimates the change from runs that belong to no blocks.
 *
 * @param confounded why nothing may be inferred even from enough runs; null if inference is allowed
 */
export function estimateUnpaired(
  baseline: readonly number[],
  candidate: readonly number[],
  compared: ComparedBy,
  { level, confounded }: { level: number; confounded: string | null },
): Estimate {
  const scale = scaleFor(compared, baseline, candidate);
  const [before, after] = [baseline.map(scale.apply), candidate.map(scale.apply)];
  const fewest = Math.min(before.length, after.length);
  const enough = fewest >= fewestPairs;
  const count = `${before.length} against ${after.length} ${after.length === 1 ? 'run' : 'runs'}`;
  return estimate(scale, {
    method: `unpaired: ${enough ? `Hodges-Lehmann shift of ${scale.words}` : 'from the medians'}`,
    // Few runs are compared by their medians, as the published studies do.
    difference: enough ? shift(before, after) : differenceOfMedians(baseline, candidate, scale),
    interval: enough && confounded === null ? rankSumInterval(before, after, level) : null,
    intervalWords: 'exact Mann-Whitney interval, which assumes that nothing drifted between the runs',
    whyNone: enough && confounded !== null ? `no interval: ${confounded}` : tooFew(count, fewest, level),
  });
}

function differenceOfMedians(baseline: readonly number[], candidate: readonly number[], scale: Scale): number | null {
  const [before, after] = [median(baseline), median(candidate)];
  return before === null || after === null ? null : scale.apply(after) - scale.apply(before);
}

function estimate(
  scale: Scale,
  found: {
    method: string;
    difference: number | null;
    interval: Interval | null;
    intervalWords: string;
    whyNone: string;
  },
): Estimate {
  const change = found.difference === null ? null : finiteOrNull(scale.changeOf(found.difference));
  const low = found.interval && finiteOrNull(scale.changeOf(found.interval.low));
  const high = found.interval && finiteOrNull(scale.changeOf(found.interval.high));
  const interval = found.interval && low !== null && high !== null ? { ...found.interval, low, high } : null;
  return {
    method: `${found.method}${interval ? `, ${found.intervalWords}` : `; ${found.whyNone}`}`,
    change,
    interval,
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

function tooFew(count: string, n: number, level: number): string {
  if (n === 0) return 'there is nothing to compare';
  return n < fewestPairs
    ? `no interval from ${count}, ${fewestPairs} are needed`
    : `no interval: ${count} cannot reach the level of ${level}, or the values have no ratio`;
}

/** The value without the sign of a negative zero, which JSON does not keep; null if it is not finite. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}
