import type { Comparison, FinishedTrial } from '../results/result.ts';
import type { QuantityKind } from './quantities.ts';

interface MetricWords {
  label: string;
  kind: QuantityKind;
}

/** The contract's metrics in the order in which a reader wants them. */
const known: Record<string, MetricWords> = {
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
};
const order = Object.keys(known);

/** How a metric is called and scaled; metrics of later versions show under their own names. */
export function metricWords({ metric, unit }: Pick<Comparison, 'metric' | 'unit'>): MetricWords {
  const words = known[metric];
  if (words) return words;
  if (metric.startsWith('waits.')) return { label: metric.slice('waits.'.length), kind: 'share' };
  return { label: `${metric} (${unit})`, kind: 'rate' };
}

/** For sorting; what is not known comes last, in the order in which it came. */
export function metricRank(metric: string): number {
  const rank = order.indexOf(metric);
  return rank === -1 ? order.length : rank;
}

/** The value of a metric in one trial, in base units; null where the trial does not tell. */
export function trialValue(trial: FinishedTrial, metric: string): number | null {
  const { run, latency, server } = trial;
  switch (metric) {
    case 'tps':
      return run.tps;
    case 'runtime':
      return run.durationSeconds;
    case 'latency.average':
      return run.latencyAverageSeconds;
    case 'latency.p50':
      return latency?.latencySeconds.p50 ?? null;
    case 'latency.p95':
      return latency?.latencySeconds.p95 ?? null;
    case 'latency.p99':
      return latency?.latencySeconds.p99 ?? null;
    case 'latency.p999':
      return latency?.latencySeconds.p999 ?? null;
    case 'wal.writeTime':
      return server?.wal?.writeSeconds ?? null;
    case 'wal.syncTime':
      return server?.wal?.syncSeconds ?? null;
    default:
      return null;
  }
}

/** Plain middle value; only for showing, never for a claim. */
export function median(values: readonly (number | null)[]): number | null {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return null;
  const lower = sorted.length % 2 === 1 ? upper : (sorted[middle - 1] ?? upper);
  return (lower + upper) / 2;
}
