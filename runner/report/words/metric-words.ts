import type { Comparison } from '../../contract/comparison.ts';
import type { QuantityKind } from '../../contract/metric.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { capitalise, percent, percentList, percentRange, plainNumber, type Scale, scaleFor } from './quantities.ts';

export interface MetricWords {
  label: string;
  kind: QuantityKind;
  /** Text after the unit, such as "/transaction". */
  per: string;
}

const perTransaction = '/transaction';

/** Name and scale of a metric. A metric of another version of pgduet is shown under its own name. */
export function metricWords({ metric, unit }: Pick<Comparison, 'metric' | 'unit'>): MetricWords {
  const known = metricNamed(metric);
  if (!known) return { label: `${metric} (${unit})`, kind: 'rate', per: '' };
  return { label: known.label, kind: known.kind, per: unit.endsWith(perTransaction) ? perTransaction : '' };
}

/** How each of these metrics that is an estimate was computed, and what its interval leaves out. */
export function estimateNotes(metrics: readonly string[]): string[] {
  return metrics.flatMap((metric) => {
    const { label = '', estimate } = metricNamed(metric) ?? {};
    if (estimate === undefined) return [];
    return [
      `${capitalise(label)}: ${estimate}. Its interval covers these inputs alone, not how well the formula fits.`,
    ];
  });
}

/** The unit and precision in which these values of a metric can be compared easily. */
export function metricScale(metric: string, kind: QuantityKind, values: readonly (number | null)[]): Scale {
  const scale = scaleFor(kind, values);
  const decimals = metricNamed(metric)?.decimals;
  return decimals === undefined ? scale : { ...scale, decimals };
}

/** From this many times as much, or as little, a change is said as a multiple: 106 times, and not 10,500 % more. */
const saidAsMultiple = 4;

/** Words for the size of a metric's changes. */
export interface ChangeSizes {
  /** Of a change without its sign; of a multiple, such as `106 times` or `1/106`, with it. */
  size: (change: number) => string;
  range: (low: number, high: number) => string;
  list: (changes: readonly number[]) => string;
  isMultiple: boolean;
}

/**
 * Words for the size of a metric's changes: in percent, if they are large as multiples, or for shares, which change by a
 * difference, in points.
 *
 * @param of the change that decides between the first two for all that is said of it. @default percent
 */
export function changeSizes(metric: string, of: number | null = null): ChangeSizes {
  if (metricNamed(metric)?.kind !== 'share') {
    const factor = 1 + (of ?? 0);
    if (factor >= saidAsMultiple || (factor > 0 && factor <= 1 / saidAsMultiple)) return multiples;
    return { size: percent, range: percentRange, list: percentList, isMultiple: false };
  }
  const number = (change: number): string => {
    const value = Number((change * 100).toFixed(10));
    return value.toLocaleString('en-US', { maximumSignificantDigits: 3 }).replace('-', '−');
  };
  return {
    size: (change) => `${number(change)} ${Math.abs(change * 100) === 1 ? 'point' : 'points'}`,
    range: (low, high) => `${number(low)} to ${number(high)} points`,
    list: (changes) => `${changes.map(number).join(', ')} points`,
    isMultiple: false,
  };
}

/** A fall to less than this is said as a fraction. */
const saidAsFraction = 0.5;

const multiples: ChangeSizes = {
  size: (change) => timesWords([change], ''),
  range: (low, high) => timesWords([low, high], ' to '),
  list: (changes) => timesWords(changes, ', '),
  isMultiple: true,
};

/** Such as `99 to 112 times` or `1/112 to 1/99`. */
function timesWords(changes: readonly number[], between: string): string {
  const factors = changes.map((change) => 1 + change);
  const words = factors.map((factor) =>
    factor > 0 && factor <= saidAsFraction ? `1/${plainNumber(1 / factor)}` : factorWords(factor),
  );
  return `${words.join(between)}${(factors.at(-1) ?? 0) > saidAsFraction ? ' times' : ''}`;
}

/** Near 1, digits enough to see on which side of it the factor is. */
function factorWords(factor: number): string {
  if (factor >= 2 || factor === 1) return plainNumber(factor);
  return factor.toFixed(Math.abs(factor - 1) < 0.005 ? 4 : 2).replace(/\.?0+$/, '');
}

/** Two values and the change between them, as a comparison has them. */
export type ComparedValues = Pick<Comparison, 'metric' | 'change'> &
  Record<'baseline' | 'candidate', Pick<Comparison['baseline'], 'value'>>;

/**
 * A scale with enough digits for each change to follow from its two values as printed. Small changes need more digits:
 * 4.51 against 4.52 ms does not show +0.4 %.
 */
export function scaleOfCompared(
  compared: readonly ComparedValues[],
  kind: QuantityKind,
  values = compared.flatMap(({ baseline, candidate }) => [baseline.value, candidate.value]),
): Scale {
  const scale = metricScale(compared[0]?.metric ?? '', kind, values);
  const most = isByDifference(compared[0]?.metric ?? '') ? 7 : scale.decimals + 2;
  for (let { decimals } = scale; decimals < most; decimals += 1) {
    if (compared.every((one) => isShownBy({ ...scale, decimals }, one))) return { ...scale, decimals };
  }
  return { ...scale, decimals: Math.max(scale.decimals, most) };
}

/**
 * Whether the change between the printed values is so close to the real one that a reader takes the rest for rounding.
 */
function isShownBy({ divisor, decimals }: Scale, { metric, change, baseline, candidate }: ComparedValues): boolean {
  if (change === null || baseline.value === null || candidate.value === null) return true;
  const [before = 0, after = 0] = [baseline.value, candidate.value].map((value) =>
    Number((value / divisor).toFixed(decimals)),
  );
  // A change of shares has three digits, however small it is: one more transaction in a thousand may be what matters.
  if (isByDifference(metric)) return Math.abs((after - before) * divisor - change) <= 0.05 * Math.abs(change) + 1e-9;
  return Math.abs(after / before - 1 - change) <= Math.max(0.0015, 0.02 * Math.abs(change));
}

function isByDifference(metric: string): boolean {
  return metricNamed(metric)?.compared === 'difference';
}

/** The name of a row or an axis. If there is a unit, it follows in brackets. */
export function labelWithUnit({ label, per }: Pick<MetricWords, 'label' | 'per'>, { unit }: Scale): string {
  return unit === '' ? label + per : `${label} (${unit}${per})`;
}
