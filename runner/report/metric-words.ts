import type { Comparison } from '../contract/comparison.ts';
import type { QuantityKind } from '../contract/metric.ts';
import { metricNamed } from '../metrics/catalogue.ts';
import { ratioFormat } from '../contract/format-change.ts';
import { capitalise, type Scale, scaleFor } from '../contract/format.ts';

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

/** The same of a metric that nothing was compared by. */
export function namedWords(metric: string): MetricWords {
  return metricWords({ metric, unit: metricNamed(metric)?.unit ?? '' });
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

/** A relative change for a table or a list, such as `+31.0%`; a large one as a multiple. */
export function ratioWords(change: number | null): string {
  return ratioFormat(change).signed(change);
}

/** Two values and the change between them, as a comparison has them. */
export type ComparedValues = Pick<Comparison, 'metric' | 'change'> &
  Record<'baseline' | 'candidate', Pick<Comparison['baseline'], 'value'>>;

/**
 * A scale with enough digits for each change to follow from its two values as printed. Small changes need more digits:
 * 4.51 against 4.52 ms does not show +0.4%.
 */
export function scaleOfCompared(
  compared: readonly ComparedValues[],
  kind: QuantityKind,
  values = compared.flatMap(({ baseline, candidate }) => [baseline.value, candidate.value]),
): Scale {
  const scale = metricScale(compared[0]?.metric ?? '', kind, values);
  const max = isByDifference(compared[0]?.metric ?? '') ? 7 : scale.decimals + 2;
  for (let { decimals } = scale; decimals < max; decimals += 1) {
    if (compared.every((one) => isShownBy({ ...scale, decimals }, one))) return { ...scale, decimals };
  }
  return { ...scale, decimals: Math.max(scale.decimals, max) };
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
