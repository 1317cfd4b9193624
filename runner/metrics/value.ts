import {
  minForQuantile,
  isFamily,
  type Measures,
  type Metric,
  scriptMetric,
  type TrialSeries,
} from '../contract/metric.ts';
import type { Trial } from '../contract/trial.ts';
import type { WorkloadShape } from '../workloads/tool.ts';
import { catalogue, membersIn, metricNamed } from './catalogue.ts';

/** The part of a trial that values are read from. This much is known even for a run that pgduet did not make. */
export type Measured = Pick<Trial, 'measures' | 'steady'>;

/** The measures with every metric of the catalogue that is derived from them or from the series. */
export function withDerived(measures: Measures, series: TrialSeries): Measures {
  const all: Record<string, number | null> = { ...measures };
  for (const { name, derive, deriveFromSeries } of catalogue) {
    if (derive) all[name] = derive(all);
    else if (deriveFromSeries) all[name] = deriveFromSeries(series);
  }
  const complete = { ...all };
  for (const name of Object.keys(all)) {
    const metric = metricNamed(name);
    if (metric && isWithheld(metric, { measures: complete })) all[name] = null;
  }
  return all;
}

/**
 * Whether a trial has no value because of what it measured itself: too few transactions for a percentile, or for a
 * value per transaction. Whatever shows the trials of a side together then shows nothing, since the others are its
 * faster trials, or its slower ones. A value that is missing because its source failed is not withheld.
 *
 * @param limit of trials, for a value by which two variants are compared
 */
export function isWithheld(metric: Metric, { measures }: Measured, limit?: WorkloadShape['limit']): boolean {
  const { name, background = false, compared, derive, withheldIf } = metric;
  if (tailOf(name, measures).isShort || withheldIf?.(measures)) return true;
  const isDivided = compared === 'per-transaction' ? limit === 'time' : derive !== undefined;
  if (background && isDivided && hardlyWrites(measures)) return true;
  return compared === 'per-transaction' && limit === 'time' && measures['transactions'] === 0;
}

/** The values of trials that are shown as one; none if a trial withholds its own. */
export function valuesOf(metric: Metric, trials: readonly Measured[]): number[] {
  if (trials.some((trial) => isWithheld(metric, trial))) return [];
  return trials.flatMap((trial) => valueOf(metric, trial) ?? []);
}

/** Whether a percentile comes from too few transactions to be told, and how many a trial needs and has. */
export function tailOf(name: string, measures: Measures): { isShort: boolean; needed: number; transactions: number } {
  const metric = metricNamed(name);
  const [, script] = name.split('@');
  const counted = measures[script === undefined ? 'transactions' : scriptMetric('transactions', script)] ?? null;
  // Of a sampled log, a percentile comes from the sample alone.
  const transactions = counted === null ? Infinity : counted * (measures['log.samplingRate'] ?? 1);
  const needed = metric?.quantile === undefined ? 0 : minForQuantile(metric.quantile);
  return { isShort: transactions < needed, needed, transactions };
}

/** Less WAL a second than a page: a server writes as much on its own account, and a checkpoint finds next to nothing. */
const littleWal = 8192;

/** Whether a trial hardly wrote; false if that is not known. */
export function hardlyWrites({ 'wal.bytesPerSecond': written = null }: Measures): boolean {
  return written !== null && written < littleWal;
}

/**
 * The value of a metric that counts, in base units: of the steady part if the start was left out. null if the trial has
 * none.
 */
export function valueOf(
  { name, zeroWith }: Pick<Metric, 'name' | 'zeroWith'>,
  { measures, steady }: Measured,
): number | null {
  if (steady && name in steady.measures) return steady.measures[name] ?? null;
  const unseen = zeroWith !== undefined && (measures[zeroWith] ?? null) !== null ? 0 : null;
  return name in measures ? (measures[name] ?? null) : unseen;
}

/** The value by which two variants are compared, in `comparedUnit`; null if the trial has none. */
export function comparedValue(metric: Metric, measured: Measured, limit: WorkloadShape['limit']): number | null {
  const value = valueOf(metric, measured);
  if (value === null || isWithheld(metric, measured, limit)) return null;
  if (metric.compared !== 'per-transaction' || limit === 'transactions') return value;
  const { transactions = null } = measured.measures;
  return transactions !== null && transactions > 0 ? value / transactions : null;
}

/** Unit of `comparedValue`. */
export function comparedUnit({ unit, compared }: Metric, limit: WorkloadShape['limit']): string {
  return compared === 'per-transaction' && limit === 'time' ? `${unit}/transaction` : unit;
}

/**
 * Metrics by which two variants are compared.
 *
 * @param measured trials that show which members families have
 */
export function comparedMetrics(limit: WorkloadShape['limit'], measured: readonly Measured[]): Metric[] {
  return catalogue
    .filter(({ compared, onlyOfGivenWork }) => compared !== null && (!onlyOfGivenWork || limit === 'transactions'))
    .flatMap((metric) => (isFamily(metric) ? membersIn(metric, measured) : [metric]));
}

export function isNumber(value: number | null | undefined): value is number {
  return value !== null && value !== undefined && Number.isFinite(value);
}
