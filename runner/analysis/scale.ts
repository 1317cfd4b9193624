import type { Metric } from '../contract/metric.ts';
import { median } from '../statistics/summaries.ts';
import type { OfExchange } from './exchanges-left-out.ts';

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
