import type { Comparison, FinishedTrial } from '../../contract/result.ts';
import { metricsOf } from '../../metrics/catalogue.ts';
import type { QuantityKind } from './quantities.ts';

interface MetricWords {
  label: string;
  kind: QuantityKind;
  /** What stands behind the unit, such as "/transaction". */
  per: string;
}

/** The contract's metrics in the order in which a reader wants them. */
const known: Record<string, Omit<MetricWords, 'per'>> = {
  runtime: { label: 'runtime', kind: 'duration' },
  tps: { label: 'TPS', kind: 'rate' },
  nopm: { label: 'NOPM', kind: 'rate' },
  'latency.average': { label: 'latency average', kind: 'latency' },
  'latency.p50': { label: 'latency p50', kind: 'latency' },
  'latency.p95': { label: 'latency p95', kind: 'latency' },
  'latency.p99': { label: 'latency p99', kind: 'latency' },
  'latency.p999': { label: 'latency p99.9', kind: 'latency' },
  'wal.writeTime': { label: 'WAL write time', kind: 'duration' },
  'wal.syncTime': { label: 'WAL sync time', kind: 'duration' },
  'wal.bytes': { label: 'WAL', kind: 'bytes' },
  'wal.fullPageImages': { label: 'full-page images', kind: 'rate' },
};
const perTransaction = '/transaction';
const order = Object.keys(known);

/** How a metric is called and scaled; metrics of later versions show under their own names. */
export function metricWords({ metric, unit }: Pick<Comparison, 'metric' | 'unit'>): MetricWords {
  const words = known[metric];
  if (words) return { ...words, per: unit.endsWith(perTransaction) ? perTransaction : '' };
  if (metric.startsWith('waits.')) return { label: metric.slice('waits.'.length), kind: 'share', per: '' };
  return { label: `${metric} (${unit})`, kind: 'rate', per: '' };
}

/** For sorting; what is not known comes last, in the order in which it came. */
export function metricRank(metric: string): number {
  const rank = order.indexOf(metric);
  return rank === -1 ? order.length : rank;
}

/** The value of a metric in one trial, in the unit of its comparison; null where the trial does not tell. */
export function trialValue(trial: FinishedTrial, metric: string, unit = ''): number | null {
  const limit = unit.endsWith(perTransaction) ? 'time' : 'transactions';
  return (
    metricsOf(limit)
      .find(({ name }) => name === metric)
      ?.read(trial) ?? null
  );
}
