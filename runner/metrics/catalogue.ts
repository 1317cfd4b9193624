import type { Workload } from '../workloads/pgbench/schema.ts';
import type { WalActivity } from '../collect/postgres/server-observation.ts';
import type { LatencySummary } from '../contract/tool-output.ts';
import type { FinishedTrial } from '../contract/result.ts';

/** What a metric is read from: a trial, or as much as is known of somebody's old run. */
export type Measured = Pick<FinishedTrial, 'run' | 'steady' | 'latency' | 'server'>;

/** What ends a trial: then its work is given, or its length. */
export type TrialLimit = 'transactions' | 'time';

export function trialLimit({ durationSeconds }: Pick<Workload, 'durationSeconds'>): TrialLimit {
  return durationSeconds === undefined ? 'transactions' : 'time';
}

export interface Metric {
  name: string;
  unit: string;
  better: 'higher' | 'lower';
  /** ratio: compared by how many times as much; difference: shares, which may be zero. */
  comparedBy: 'ratio' | 'difference';
  /** In base units; null where the trial does not tell. */
  read(measured: Measured): number | null;
}

/**
 * All metrics, in the order of study 1's table. Totals that grow with the work done are totals where every trial does the
 * same work, and per transaction where trials are limited by time: there the faster variant would flush more WAL only for
 * having done more.
 */
export function metricsOf(limit: TrialLimit): Metric[] {
  return [
    ...(limit === 'transactions' ? [runtime] : []),
    {
      name: 'tps',
      unit: '1/s',
      better: 'higher',
      comparedBy: 'ratio',
      read: ({ run, steady }) => (steady ?? run).tps,
    },
    latency(
      'average',
      ({ run, steady, latency }) =>
        (steady ?? run).latencyAverageSeconds ?? (steady ? null : (latency?.latencySeconds.mean ?? null)),
    ),
    ...(['p50', 'p95', 'p99', 'p999'] as const).map(percentile),
    total('wal.writeTime', 's', limit, ({ writeSeconds }) => writeSeconds),
    total('wal.syncTime', 's', limit, ({ syncSeconds }) => syncSeconds),
    total('wal.bytes', 'B', limit, ({ bytes }) => bytes),
    total('wal.fullPageImages', '1', limit, ({ fullPageImages }) => fullPageImages),
  ];
}

/** Of trials that all last equally long it says nothing. */
const runtime: Metric = {
  name: 'runtime',
  unit: 's',
  better: 'lower',
  comparedBy: 'ratio',
  // pgbench prints no duration for -t; its tps is defined as transactions by duration.
  read: ({ run: { durationSeconds, transactions, tps } }) =>
    durationSeconds ?? (transactions !== null && tps !== null && tps > 0 ? transactions / tps : null),
};

function latency(name: string, read: Metric['read']): Metric {
  return { name: `latency.${name}`, unit: 's', better: 'lower', comparedBy: 'ratio', read };
}

function percentile(name: keyof LatencySummary): Metric {
  return latency(name, (measured) => measured.latency?.latencySeconds[name] ?? null);
}

function total(name: string, unit: string, limit: TrialLimit, read: (wal: WalActivity) => number | null): Metric {
  return {
    name,
    unit: limit === 'time' ? `${unit}/transaction` : unit,
    better: 'lower',
    comparedBy: 'ratio',
    read: ({ run, server }) => {
      const value = server?.wal ? read(server.wal) : null;
      if (limit === 'transactions' || value === null) return value;
      return run.transactions !== null && run.transactions > 0 ? value / run.transactions : null;
    },
  };
}
