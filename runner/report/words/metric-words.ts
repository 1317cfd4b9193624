import type { Comparison } from '../../contract/comparison.ts';
import type { QuantityKind } from '../../contract/metric.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { type Scale, scaleFor } from './quantities.ts';

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

/** The unit and precision in which these values of a metric can be compared easily. */
export function metricScale(metric: string, kind: QuantityKind, values: readonly (number | null)[]): Scale {
  const scale = scaleFor(kind, values);
  const decimals = metricNamed(metric)?.decimals;
  return decimals === undefined ? scale : { ...scale, decimals };
}

/** The name of a row or an axis. If there is a unit, it follows in brackets. */
export function labelWithUnit({ label, per }: Pick<MetricWords, 'label' | 'per'>, { unit }: Scale): string {
  return unit === '' ? label + per : `${label} (${unit}${per})`;
}
