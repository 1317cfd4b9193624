import { overTime, type TrialLine } from './over-time.ts';
import type { Chart } from './subject.ts';

/** Mean latency of every second: a stall that throughput shows as a dip is here what its transactions waited. */
export const latencyOverTimeChart: Chart<TrialLine[]> = (subject) =>
  overTime(subject, { metric: 'latency.average', title: 'Latency over time' });
