import type { Metric, QuantityKind } from '../contract/metric.ts';
import type { Interval } from '../statistics/exact-interval.ts';
import { median } from '../statistics/quantiles.ts';
import { hodgesLehmann } from '../statistics/signed-rank.ts';
import { ratioOfTotals } from '../statistics/totals.ts';
import {
  intervalOfSamples,
  type OfExchange,
  type Sample,
  samplesOf,
  tooSmall,
  withoutWords,
} from './exchanges-left-out.ts';

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
  /** The inverse of `changeOf`. */
  differenceOf: (change: number) => number;
  /** The inverse of `apply`. */
  valueAt: (applied: number) => number;
  /** The value that changes are relative to, where they are differences; otherwise they compare the two sides themselves. */
  base?: number;
  /** Whether values that are not negative must have centres that are not. */
  neverNegative: boolean;
}

/** An estimate from pairs, with the change of each pair. */
export interface PairedEstimate extends Estimate {
  changes: (number | null)[];
}

/** One value of each side. */
export interface ValuesOfPair extends OfExchange {
  baseline: number;
  candidate: number;
}

/** The value of each side that a change compares, in base units; null if it cannot be calculated. */
export interface Centres {
  baseline: number | null;
  candidate: number | null;
}

/** A candidate that is compared with a baseline. */
export interface Contestant {
  /** `block` tells which pairs of several candidates belong together. */
  pairs: readonly (ValuesOfPair & { block: string })[];
  /** As estimated from these pairs. */
  change: number | null;
}

/**
 * Estimates the change from pairs of values.
 *
 * @param options.level of the interval; null where the order was not drawn by chance, so that no interval has a level
 * @param options.unit what a pair is, such as `block`
 * @param options.unknown further pairs whose values are unknown. The change is that of the known pairs; the interval is so
 *   wide that it holds for all of them (see `signedRankInterval`)
 * @param options.isDescribed whether the pairs are only described, as those of unknown blocks: no interval comes of them
 */
export function estimatePaired(
  pairs: readonly ValuesOfPair[],
  compared: ComparedBy,
  {
    level,
    unit = 'block',
    unknown = [],
    isDescribed = false,
  }: {
    level: number | null;
    unit?: string;
    unknown?: readonly OfExchange[];
    isDescribed?: boolean;
  },
): PairedEstimate {
  const scale = scaleFor(compared, ...sidesOf(pairs));
  const differenceIn = ({ baseline, candidate }: ValuesOfPair): number =>
    scale.apply(candidate) - scale.apply(baseline);
  const differences = pairs.map(differenceIn);
  const changes = differences.map((difference) => finiteOrNull(scale.changeOf(difference)));
  if (compared === 'totals') return { ...estimateTotals(pairs), changes };

  const center = hodgesLehmann(differences);
  const samples = samplesOf(isDescribed ? [] : pairs, unknown);
  const found = level === null ? null : intervalOfSamples(samples, differenceIn, level);
  const low = found && finiteOrNull(scale.changeOf(found.low));
  const high = found && finiteOrNull(scale.changeOf(found.high));
  const interval = found && low !== null && high !== null ? { ...found, low, high } : null;
  const how = interval
    ? `exact Wilcoxon signed-rank interval${samples.length > 1 ? ', the widest without the pairs of any one exchange' : ''}`
    : `no interval: ${pairs.length === 0 ? 'there is nothing to compare' : whyNone(samples, { level, unit })}`;
  return {
    method: `paired by ${unit}: Hodges-Lehmann estimate on ${scale.words}, ${how}`,
    change: center === null ? null : finiteOrNull(scale.changeOf(center)),
    interval,
    changes,
  };
}

/** The two values that the change of these pairs compares: see `sharedCentres`. */
export function centresOf(
  pairs: readonly ValuesOfPair[],
  change: number | null,
  compared: ComparedBy,
  kind?: QuantityKind,
): Centres {
  const blocks = pairs.map((pair, index) => ({ ...pair, block: String(index) }));
  return sharedCentres([{ pairs: blocks, change }], compared, kind)[0] ?? { baseline: null, candidate: null };
}

/**
 * The two values that each change compares: the change follows from them exactly, which it does not from two medians.
 *
 * Each block says where the baseline is: by its own value, and by that of each candidate without the candidate's change. The
 * Hodges-Lehmann estimate of their mean over the blocks is the baseline's value; a candidate's is that with its change. With
 * one candidate, half of the change lies on either side of the middle of the pairs, so exchanging the sides exchanges the
 * values. Sums are compared by the sums. Where a value of zero leaves no ratio, the change is relative to the baseline's median.
 *
 * @param candidates all with the same baseline, which has one value for all of them. Only where that would take a share out
 *   of 0 to 1 does it have one for each
 * @param kind of the values
 */
export function sharedCentres(candidates: readonly Contestant[], compared: ComparedBy, kind?: QuantityKind): Centres[] {
  const known = candidates.map((one) => ({ ...one, scale: scaleFor(compared, ...sidesOf(one.pairs)) }));
  const together = known.filter(({ scale }) => scale.base === undefined);
  const { least, most } = baselineRange(together, kind);
  const centreOf = (some: readonly Scaled[]): number | null => baselineCentre(some, baselineRange(some, kind));
  const shared = least <= most ? centreOf(together) : null;
  return known.map((one) => {
    const { pairs, change, scale } = one;
    const [before, after] = sidesOf(pairs);
    if (compared === 'totals') return { baseline: sum(before), candidate: sum(after) };
    const centre = scale.base ?? (least <= most ? shared : centreOf([one]));
    if (change === null || centre === null) return { baseline: median(before), candidate: median(after) };
    return {
      baseline: finiteOrNull(scale.valueAt(centre)),
      candidate: finiteOrNull(scale.valueAt(centre + scale.differenceOf(change))),
    };
  });
}

type Scaled = Contestant & { scale: Scale };

/** Where the baseline is, on a scale that all candidates share; null without any pair. */
function baselineCentre(
  candidates: readonly Scaled[],
  { least, most }: ReturnType<typeof baselineRange>,
): number | null {
  const places = new Map<string, { baseline: number; candidates: number[] }>();
  for (const candidate of candidates) {
    const difference = differenceOf(candidate);
    if (difference === null) continue;
    const { pairs, scale } = candidate;
    for (const { block, ...values } of pairs) {
      const place = places.get(block) ?? { baseline: scale.apply(values.baseline), candidates: [] };
      place.candidates.push(scale.apply(values.candidate) - difference);
      places.set(block, place);
    }
  }
  const centre = hodgesLehmann(
    [...places.values()]
      .map((place) => (place.baseline + sum(place.candidates)) / (1 + place.candidates.length))
      .filter(Number.isFinite),
  );
  return centre === null ? null : Math.min(Math.max(centre, least), most);
}

/**
 * Where the baseline may be: a time below zero, or a share above one, means nothing. The changes stay what they are, so the
 * candidates bound it, too.
 */
function baselineRange(candidates: readonly Scaled[], kind?: QuantityKind): { least: number; most: number } {
  const differences = candidates.flatMap((one) => differenceOf(one) ?? []);
  const values = candidates.flatMap(({ pairs }) => sidesOf(pairs).flat());
  const isAmount = candidates.every(({ scale }) => scale.neverNegative) && values.every((value) => value >= 0);
  const isShare = isAmount && kind === 'share' && values.every((value) => value <= 1);
  return {
    least: isAmount ? Math.max(0, ...differences.map((difference) => -difference)) : -Infinity,
    most: isShare ? Math.min(1, ...differences.map((difference) => 1 - difference)) : Infinity,
  };
}

/** null such as with a change of −100 %, to which numbers of 300 digits round. */
function differenceOf({ change, scale }: Scaled): number | null {
  return change === null ? null : finiteOrNull(scale.differenceOf(change));
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
  const plain = { apply: asIs, valueAt: asIs, neverNegative: true };
  if (compared === 'difference') return { words: 'differences', changeOf: asIs, differenceOf: asIs, ...plain };
  if ([...baseline, ...candidate].every((value) => value > 0)) {
    return {
      words: 'log-ratios',
      apply: Math.log,
      changeOf: Math.expm1,
      differenceOf: Math.log1p,
      valueAt: Math.exp,
      neverNegative: false,
    };
  }
  const base = median(baseline) ?? 0;
  return {
    words: 'differences relative to the baseline’s median (a value of zero has no ratio)',
    changeOf: (difference) => (base > 0 ? difference / base : NaN),
    differenceOf: (change) => change * base,
    ...plain,
    base,
  };
}

function sidesOf(pairs: readonly ValuesOfPair[]): [baseline: number[], candidate: number[]] {
  return [pairs.map(({ baseline }) => baseline), pairs.map(({ candidate }) => candidate)];
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** Such as `6 complete blocks, and 7 are needed`. */
function whyNone(
  samples: readonly Sample<ValuesOfPair>[],
  { level, unit }: { level: number | null; unit: string },
): string {
  if (level === null) return 'the order was not drawn by chance';
  const small = tooSmall(samples, level);
  if (!small) return 'the values have no ratio';
  const { pairs, unknown, needed } = small;
  // The plural of `pair of blocks` is `pairs of blocks`.
  const words = (count: number): string => `${count} ${count === 1 ? unit : unit.replace(/^\w+/, '$&s')}`;
  const what =
    unknown === 0
      ? `${words(pairs.length).replace(' ', ' complete ')}, and ${needed} are needed`
      : `${unknown} of ${words(pairs.length + unknown)} ${unknown === 1 ? 'is' : 'are'} unknown, and then ${needed} are needed`;
  return `${withoutWords(small)}${what}`;
}

/** The value without the sign of a negative zero, which JSON does not keep; null if it is not finite. */
function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}
