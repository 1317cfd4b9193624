import { decidingMetric } from '../../contract/experiment/schema.ts';
import { absent, inScale, percent } from '../../contract/format.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { valuesOf } from '../../metrics/value.ts';
import { mean, median, variance } from '../../statistics/summaries.ts';
import { cellsOf, left, right, type Table } from '../media/table.ts';
import { labelWithUnit, metricScale } from '../metric-words.ts';
import type { Reported } from '../reported.ts';
import { tableSection } from './section.ts';

/** How much the trials of each side vary: what more blocks, or longer ones, would have to overcome. */
export const spreadSection = tableSection('spread', spreadTable);

/** A row for each side with values of the deciding metric. */
function spreadTable({ result, counted }: Reported): Table {
  const metric = metricNamed(decidingMetric(result.experiment.definition.decision));
  const sides = metric
    ? cellsOf(result, counted).map(({ label, trials }) => ({ label, values: valuesOf(metric, trials) }))
    : [];
  const scale = metricScale(
    metric?.name ?? '',
    metric?.kind ?? 'rate',
    sides.flatMap(({ values }) => values),
  );
  return {
    title: 'Spread of the trials',
    columns: [
      left(labelWithUnit({ label: metric?.label ?? '', per: '' }, scale)),
      right('trials', 1),
      right('lowest'),
      right('median'),
      right('highest'),
      right('spread'),
    ],
    rows: sides
      .filter(({ values }) => values.length > 0)
      .map(({ label, values }) => ({
        cells: [
          label,
          String(values.length),
          inScale(Math.min(...values), scale),
          inScale(median(values), scale),
          inScale(Math.max(...values), scale),
          spreadWords(values),
        ],
      })),
    notes: [
      'Valid trials only. The spread is the standard deviation as a share of the mean. It includes what all trials of a block share; the interval of the change does not, because it compares within blocks.',
    ],
  };
}

function spreadWords(values: readonly number[]): string {
  const center = mean(values);
  return values.length < 2 || center === 0 ? absent : percent(Math.sqrt(variance(values) ?? 0) / Math.abs(center));
}
