import { type Comparison, pairWords } from '../../contract/comparison.ts';
import { atLevel } from '../../contract/trial.ts';
import { labelWithUnit, metricScale, metricWords } from '../words/metric-words.ts';
import { inScale, signedPercent } from '../words/quantities.ts';
import { right, type Table } from './table.ts';

/** One table for each comparison that decides. It has a row for each pair that the estimate used, and no others. */
export function pairsTables(comparisons: readonly Comparison[]): Table[] {
  return comparisons.filter(({ primary, pairs }) => primary && pairs.length > 0).map(pairsTable);
}

function pairsTable(comparison: Comparison): Table {
  const { baseline, candidate, pairs, metric, conditions } = comparison;
  const words = metricWords(comparison);
  const scale = metricScale(
    metric,
    words.kind,
    pairs.flatMap((pair) => [pair.baseline, pair.candidate]),
  );
  return {
    title: `Blocks that count: ${candidate.variant} against ${baseline.variant}${atLevel(conditions)}`,
    columns: [
      right(pairs.some(({ replica }) => replica !== undefined) ? 'pair of instances' : 'block'),
      right(`${baseline.variant}, ${labelWithUnit(words, scale)}`),
      right(`${candidate.variant}, ${labelWithUnit(words, scale)}`),
      right('change'),
    ],
    rows: pairs.map((pair) => ({
      cells: [
        pairWords(pair),
        inScale(pair.baseline, scale),
        inScale(pair.candidate, scale),
        changeWords(comparison, pair.change),
      ],
    })),
    notes: ['The estimate, its interval and every picture rest on these values and on no others.'],
  };
}

/** The changes in one line: `1 +31.0 %, 2 +28.4 %, 3 (attempt 2) +30.2 %`. */
export function pairsInWords(comparison: Comparison): string {
  return comparison.pairs.map((pair) => `${pairWords(pair)} ${changeWords(comparison, pair.change)}`).join(', ');
}

/** A change in words. Metrics that are shares change by percentage points. */
export function changeWords(comparison: Pick<Comparison, 'metric' | 'unit'>, change: number | null): string {
  const text = signedPercent(change);
  return metricWords(comparison).kind === 'share' ? text.replace('%', 'points') : text;
}
