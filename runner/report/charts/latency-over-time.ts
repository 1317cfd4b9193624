import { overTime, type TrialLine } from './over-time.ts';
import type { Chart } from './subject.ts';

/** Mean latency of every second. Throughput shows a stall as a dip; this shows how long its transactions waited. */
export const latencyOverTimeChart: Chart<TrialLine[]> = (subject) =>
  overTime(subject, { metric: 'latency.average', title: 'Latency over time' });
