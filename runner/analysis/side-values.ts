import type { Metric, QuantityKind } from '../contract/metric.ts';
import { mean, median } from '../statistics/summaries.ts';
import type { OfExchange } from './cross-over.ts';
import { type Comparison, pairWords } from '../contract/comparison.ts';
import { levelKey } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { hodgesLehmann } from '../statistics/signed-rank.ts';

export type ComparedBy = NonNullable<Metric['compared']>;

/** One value of each side. */
export interface ValuesOfPair extends OfExchange {
  baseline: number;
  candidate: number;
}

/** How values become numbers that can be subtracted, and how such a difference becomes a change. */
export interface Scale {
  words: string;
  apply: (value: number) => number;
  changeOf: (difference: number) => number;
  /** The inverse of `changeOf`. */
  differenceOf: (change: number) => number;
  /** The inverse of `apply`. */
  valueAt: (applied: number) => number;
  /**
   * The value that changes are relative to, if they are differences; absent if they compare the two sides themselves.
   */
  base?: number;
  /** Whether values that are not negative must have centres that are not negative either. */
  neverNegative: boolean;
}

/** Ratios if every value is above zero, otherwise differences. A change that cannot be calculated is NaN. */
export function scaleFor(compared: ComparedBy, baseline: readonly number[], candidate: readonly number[]): Scale {
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

export function sidesOf(pairs: readonly ValuesOfPair[]): [baseline: number[], candidate: number[]] {
  return [pairs.map(({ baseline }) => baseline), pairs.map(({ candidate }) => candidate)];
}

export function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** The value without the sign of a negative zero, which JSON does not keep; null if it is not finite. */
export function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value + 0 : null;
}

/** The value of each side that a change compares, in base units; null if it cannot be calculated. */
interface Centres {
  baseline: number | null;
  candidate: number | null;
}

/** A candidate that is compared with a baseline. */
interface Contestant {
  /** `block` shows which pairs of several candidates belong together. */
  pairs: readonly (ValuesOfPair & { block: string })[];
  /** As estimated from these pairs. */
  change: number | null;
}

/**
 * Adds to each comparison the two values that its change compares. The candidates of one baseline at one level are
 * taken together, so that the baseline has the same value in all of their comparisons. Runs that belong to no blocks
 * have no pairs: their change compares the medians.
 */
export function withSideValues(comparisons: readonly Comparison[]): Comparison[] {
  const groups = new Map<string, Comparison[]>();
  for (const comparison of comparisons) {
    const { metric, conditions, baseline, scope, pairs } = comparison;
    const key = JSON.stringify([metric, levelKey(conditions), baseline.variant, scope]);
    if (pairs.length > 0) groups.set(key, [...(groups.get(key) ?? []), comparison]);
  }
  const found = new Map<Comparison, Centres>();
  for (const group of groups.values()) {
    const metric = metricNamed(group[0]?.metric ?? '');
    sharedCentres(group.map(contestant), metric?.compared ?? 'ratio', metric?.kind).forEach((centres, index) => {
      const own = group[index];
      if (own) found.set(own, centres);
    });
  }
  return comparisons.map((comparison) => {
    const { baseline, candidate } = comparison;
    const own = found.get(comparison) ?? { baseline: baseline.median, candidate: candidate.median };
    return {
      ...comparison,
      baseline: { ...baseline, value: own.baseline },
      candidate: { ...candidate, value: own.candidate },
    };
  });
}

function contestant({ pairs, change }: Comparison): Contestant {
  return { pairs: pairs.map((pair) => ({ ...pair, block: pairWords(pair) })), change };
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
 * The two values that each change compares. The change follows exactly from them, unlike from two medians.
 *
 * Each block shows where the baseline is: by the baseline's own value, and by each candidate's value without that
 * candidate's change. The baseline's value is the Hodges-Lehmann estimate of the mean of these over the blocks. A
 * candidate's value is the baseline's value with the candidate's change. With one candidate, half of the change lies on
 * either side of the middle of the pairs, so exchanging the sides exchanges the values. Sums are compared by the means of each side, which have
 * the same ratio.
 * If a value of zero leaves no ratio, the change is relative to the baseline's median.
 *
 * @param candidates all with the same baseline, which has one value for all of them. It has one value for each
 *   candidate only if a common value would take a share out of 0 to 1
 * @param kind of the values
 */
function sharedCentres(candidates: readonly Contestant[], compared: ComparedBy, kind?: QuantityKind): Centres[] {
  const known = candidates.map((one) => ({ ...one, scale: scaleFor(compared, ...sidesOf(one.pairs)) }));
  const together = known.filter(({ scale }) => scale.base === undefined);
  const { least, most } = baselineRange(together, kind);
  const centreOf = (some: readonly Scaled[]): number | null => baselineCentre(some, baselineRange(some, kind));
  const shared = least <= most ? centreOf(together) : null;
  return known.map((one) => {
    const { pairs, change, scale } = one;
    const [before, after] = sidesOf(pairs);
    if (compared === 'totals') return { baseline: mean(before), candidate: mean(after) };
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

/** null for a change of −100 %, for example, to which values of 300 digits can round. */
function differenceOf({ change, scale }: Scaled): number | null {
  return change === null ? null : finiteOrNull(scale.differenceOf(change));
}
