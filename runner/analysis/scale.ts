import type { Metric } from '../contract/metric.ts';

export type ComparedBy = NonNullable<Metric['compared']>;

/** How values become numbers that can be subtracted, and how such a difference becomes a change. */
export interface Scale {
  words: string;
  /** NaN for a value that has no place on the scale. */
  apply: (value: number) => number;
  /** NaN if there is none. */
  changeOf: (difference: number) => number;
  /** The inverse of `changeOf`. */
  differenceOf: (change: number) => number;
  /** The inverse of `apply`. */
  valueAt: (applied: number) => number;
  /** Whether a value says where a side is. */
  isPlace: (value: number) => boolean;
}

const asIs = (value: number): number => value;

const differences: Scale = {
  words: 'differences',
  apply: asIs,
  changeOf: asIs,
  differenceOf: asIs,
  valueAt: asIs,
  isPlace: () => true,
};

/** Below the logarithm of every number, and far enough for an average with one to be so, too. */
const logOfZero = -1e6;
/** Beyond it, a ratio or its inverse is no number. */
const largestLogRatio = 700;

/**
 * The one rule for values of zero: zero counts as smaller than every other value, by the same unknown factor everywhere. So it enters
 * the estimate and the interval at its place in the order, as a value does that comes ever closer to zero. What depends
 * on that factor has no number: a change of −100% would need it, and so would its mirror image, from zero to something.
 * Two zeros have the ratio 1. No change lies below −100%, and exchanging the sides inverts every ratio. Values below
 * zero have no ratio.
 */
const ratios: Scale = {
  words: 'log-ratios',
  apply: (value) => (value > 0 ? Math.log(value) : value === 0 ? logOfZero : NaN),
  changeOf: (difference) => (Math.abs(difference) <= largestLogRatio ? Math.expm1(difference) : NaN),
  differenceOf: Math.log1p,
  valueAt: Math.exp,
  isPlace: (value) => value > 0,
};

export function scaleFor(compared: ComparedBy): Scale {
  return compared === 'difference' ? differences : ratios;
}

/** Why these pairs have no change, in words; null if nothing is known to prevent one. */
export function whyIncomparable(
  compared: ComparedBy,
  pairs: readonly { baseline: number; candidate: number }[],
): string | null {
  if (compared === 'difference' || pairs.length === 0) return null;
  if (pairs.some(({ baseline, candidate }) => !(baseline >= 0 && candidate >= 0)))
    return 'a value below zero has no ratio';
  if (!pairs.some(({ baseline, candidate }) => baseline > 0 && candidate > 0)) return 'a value of zero has no ratio';
  return null;
}

export function hasZero(compared: ComparedBy, pairs: readonly { baseline: number; candidate: number }[]): boolean {
  return compared !== 'difference' && pairs.some(({ baseline, candidate }) => baseline === 0 || candidate === 0);
}
