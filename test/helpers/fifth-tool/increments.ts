import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Collector } from '../../../runner/collect/collector.ts';
import type { Metric } from '../../../runner/contract/metric.ts';

/** What the client did to one row. */
export const rowMetric: Metric = {
  name: 'increments.<row>',
  label: 'increments of row <row>',
  column: 'increments',
  unit: '1',
  kind: 'count',
  better: 'higher',
  compared: 'ratio',
  reportedByLoad: true,
  source: 'what the counter says of itself',
};

export const logName = 'counter.json';

/** Reads what the counter wrote beside the trial: its increments in each second. */
export const increments: Collector = {
  name: 'increments',
  optional: true,
  metrics: [],
  start: ({ folder }) =>
    Promise.resolve({
      finish() {
        const perSecond = JSON.parse(readFileSync(path.join(folder, logName), 'utf8')) as number[];
        return Promise.resolve({ series: perSecond.map((value, second) => ({ second, name: 'tps', value })) });
      },
    }),
};
