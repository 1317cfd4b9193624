import { isFamily } from '../../contract/metric-family.ts';
import type { Result } from '../../contract/result.ts';
import { catalogue } from '../../metrics/catalogue.ts';
import { valueOf } from '../../metrics/value.ts';
import { median } from '../../statistics/quantiles.ts';
import { labelWithUnit, metricScale } from '../words/metric-words.ts';
import { inScale } from '../words/quantities.ts';
import { cellsOf } from './cells.ts';
import { left, right, type Table } from './table.ts';

/** Metrics that explain the answer: medians of the trials that count, by variant. Rows without any value are left out. */
export function evidenceTable(result: Result, counted: ReadonlySet<string>): Table {
  const cells = cellsOf(result, counted);
  const rows = catalogue
    .filter((metric) => !metric.ofTheLoad && !metric.hidden && !isFamily(metric))
    .flatMap((metric) => {
      const values = cells.map(({ trials }) => median(trials.flatMap((trial) => valueOf(metric, trial) ?? [])));
      if (values.every((each) => each === null)) return [];
      const scale = metricScale(metric.name, metric.kind, values);
      return [
        {
          cells: [
            labelWithUnit({ label: metric.label, per: '' }, scale),
            ...values.map((each) => inScale(each, scale)),
          ],
        },
      ];
    });
  return {
    title: 'What server and driver were doing',
    columns: [left('per trial, median'), ...cells.map(({ label }) => right(label))],
    rows,
    notes: [
      'From the trials that count. What the server counted are differences between a snapshot before and one after each trial.',
      'Client time is what of a transaction’s turn (clients / TPS) nothing accounts for: neither its latency, nor the time to connect, nor transactions that failed.',
    ],
  };
}
