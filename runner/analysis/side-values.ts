import type { QuantityKind } from '../contract/metric.ts';
import { mean, median } from '../statistics/summaries.ts';
import type { AtCrossover } from './crossover.ts';
import { type Comparison, pairWords } from '../contract/comparison.ts';
import { levelKey } from '../contract/trial.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { hodgesLehmann } from '../statistics/signed-rank.ts';
import { type ComparedBy, type Scale, scaleFor } from './scale.ts';

/** One value of each side. */
export interface ValuesOfPair extends AtCrossover {
  baseline: number;
  candidate: number;
  /** Where these are geometric means of several trials: the arithmetic ones. */
  means?: { baseline: number; candidate: number } | undefined;
}

/** What totals add up: the arithmetic mean of each side in every pair, so that all trials weigh the same. */
export function addable(pairs: readonly ValuesOfPair[]): { baseline: number; candidate: number }[] {
  return pairs.map((pair) => pair.means ?? pair);
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
interface Candidate {
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
    sharedCentres(group.map(candidateOf), metric?.compared ?? 'ratio', metric?.kind).forEach((centres, index) => {
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

function candidateOf({ pairs, change }: Comparison): Candidate {
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
 * A value of zero is at no place on the scale of ratios, so it shows nothing.
 *
 * @param candidates all with the same baseline, which has one value for all of them. It has one value for each
 *   candidate only if a common value would take a share out of 0 to 1
 * @param kind of the values
 */
function sharedCentres(candidates: readonly Candidate[], compared: ComparedBy, kind?: QuantityKind): Centres[] {
  const scale = scaleFor(compared);
  const centreOf = (some: readonly Candidate[], range: Range): number | null => baselineCentre(some, scale, range);
  const range = baselineRange(candidates, scale, kind);
  const isCommon = range.min <= range.max;
  const shared = isCommon ? centreOf(candidates, range) : null;
  return candidates.map((one) => {
    const { pairs, change } = one;
    const [before, after] = sidesOf(pairs);
    if (compared === 'totals') return { baseline: mean(before), candidate: mean(after) };
    const centre = isCommon ? shared : centreOf([one], baselineRange([one], scale, kind));
    if (change === null || centre === null) return { baseline: median(before), candidate: median(after) };
    return {
      baseline: finiteOrNull(scale.valueAt(centre)),
      candidate: finiteOrNull(scale.valueAt(centre + scale.differenceOf(change))),
    };
  });
}

interface Range {
  min: number;
  max: number;
}

/** Where the baseline is, on a scale that all candidates share; null without any pair. */
function baselineCentre(candidates: readonly Candidate[], scale: Scale, { min, max }: Range): number | null {
  const places = new Map<string, number[]>();
  for (const candidate of candidates) {
    const difference = differenceOf(candidate, scale);
    if (difference === null) continue;
    for (const { block, ...values } of candidate.pairs) {
      const known = places.get(block);
      const isShown = ([value]: readonly [number, number]): boolean => scale.isPlace(value);
      const baseline = [[values.baseline, 0] as const].filter(isShown);
      const own = [...(known ? [] : baseline), ...[[values.candidate, difference] as const].filter(isShown)];
      places.set(block, [...(known ?? []), ...own.map(([value, moved]) => scale.apply(value) - moved)]);
    }
  }
  const shown = [...places.values()].filter(({ length }) => length > 0);
  const centre = hodgesLehmann(shown.map((own) => mean(own)).filter(Number.isFinite));
  return centre === null ? null : Math.min(Math.max(centre, min), max);
}

/**
 * Where the baseline may be: a share below zero or above one means nothing. The changes stay what they are, so the
 * candidates bound it, too.
 */
function baselineRange(candidates: readonly Candidate[], scale: Scale, kind?: QuantityKind): Range {
  const differences = candidates.flatMap((one) => differenceOf(one, scale) ?? []);
  const values = candidates.flatMap(({ pairs }) => sidesOf(pairs).flat());
  const isAmount = scale === scaleFor('difference') && values.every((value) => value >= 0);
  const isShare = isAmount && kind === 'share' && values.every((value) => value <= 1);
  return {
    min: isAmount ? Math.max(0, ...differences.map((difference) => -difference)) : -Infinity,
    max: isShare ? Math.min(1, ...differences.map((difference) => 1 - difference)) : Infinity,
  };
}

/** null for a change of −100%, for example, to which values of 300 digits can round. */
function differenceOf({ change }: Candidate, scale: Scale): number | null {
  return change === null ? null : finiteOrNull(scale.differenceOf(change));
}
