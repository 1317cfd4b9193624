import type { Metric } from '../contract/metric.ts';

/** What all metrics of throughput per minute have in common. */
export const perMinute = {
  unit: '1/min',
  kind: 'rate',
  better: 'higher',
  compared: 'ratio',
  declarable: true,
  pace: true,
  reportedByLoad: true,
} as const satisfies Partial<Metric>;
