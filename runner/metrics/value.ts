import type { Measures, Metric, TrialSeries } from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { catalogue } from './catalogue.ts';

/** What a value is read from: a trial, or as much as is known of somebody's old run. */
export type Measured = Pick<Trial, 'measures' | 'steady'>;

/** What was measured, with all that follows from it. */
export function withDerived(measures: Measures, series: TrialSeries): Measures {
  let all = { ...measures };
  for (const { name, derive, deriveFromSeries } of catalogue) {
    if (derive) all = { ...all, [name]: derive(all) };
    else if (deriveFromSeries) all = { ...all, [name]: deriveFromSeries(series) };
  }
  return all;
}

/** The value of a metric in base units, as it counts; null where the trial does not tell. */
export function valueOf({ name }: Pick<Metric, 'name'>, { measures, steady }: Measured): number | null {
  if (steady && name in steady.measures) return steady.measures[name] ?? null;
  return measures[name] ?? null;
}

/** The value that two variants are compared by. */
export function comparedValue(metric: Metric, measured: Measured, limit: WorkloadShape['limit']): number | null {
  const value = valueOf(metric, measured);
  if (value === null || metric.compared !== 'per-transaction' || limit === 'transactions') return value;
  const { transactions = null } = measured.measures;
  return transactions !== null && transactions > 0 ? value / transactions : null;
}

/** Unit of that value. */
export function comparedUnit({ unit, compared }: Metric, limit: WorkloadShape['limit']): string {
  return compared === 'per-transaction' && limit === 'time' ? `${unit}/transaction` : unit;
}

/** Metrics that two variants are compared by. */
export function comparedMetrics(limit: WorkloadShape['limit']): Metric[] {
  return catalogue.filter(
    ({ compared, onlyOfGivenWork }) => compared !== null && (!onlyOfGivenWork || limit === 'transactions'),
  );
}
