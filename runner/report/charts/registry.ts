import { blocksChart } from './blocks.ts';
import { latencyOverTimeChart, throughputChart } from './over-time.ts';
import { latencyChart } from './latency.ts';
import type { Chart } from './subject.ts';
import { waitsOverTimeChart } from './waits-over-time.ts';

/** The pictures of the trials, in the order of the page. The picture of the answer itself (change.ts) is above them. */
export const charts: readonly Chart[] = [
  blocksChart,
  throughputChart,
  latencyOverTimeChart,
  latencyChart,
  waitsOverTimeChart,
];
