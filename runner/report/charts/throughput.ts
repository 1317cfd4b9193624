import { overTime, type TrialLine } from './over-time.ts';
import type { Chart } from './subject.ts';

/** Transactions of every second: they show whether a run is steady, and where it stalls. */
export const throughputChart: Chart<TrialLine[]> = (subject) =>
  overTime(subject, { metric: 'tps', title: 'Throughput over time' });
