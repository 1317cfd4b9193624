import { type Comparison, pairWords, unitOf } from '../../contract/comparison.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { changeSizes, labelWithUnit, metricWords, scaleOfCompared } from '../words/metric-words.ts';
import { inScale, signedPercent } from '../words/quantities.ts';
import { right, type Table } from './table.ts';

/** One table for each comparison that decides. It has a row for each pair that the estimate used, and no others. */
export function pairsTables(comparisons: readonly Comparison[]): Table[] {
  return comparisons.filter(({ primary, pairs }) => primary && pairs.length > 0).map(pairsTable);
}

function pairsTable(comparison: Comparison): Table {
  const { baseline, candidate, pairs, metric, conditions } = comparison;
  const words = metricWords(comparison);
  const scale = scaleOfCompared(
    pairs.map((pair) => ({
      metric,
      change: hasRatios(comparison) ? pair.change : null,
      baseline: { value: pair.baseline },
      candidate: { value: pair.candidate },
    })),
    words.kind,
  );
  return {
    title: `Blocks that count: ${candidate.variant} against ${baseline.variant}${levelSuffix(conditions)}`,
    columns: [
      right(unitOf(comparison)),
      right(`${baseline.variant}, ${labelWithUnit(words, scale)}`),
      right(`${candidate.variant}, ${labelWithUnit(words, scale)}`),
      right(hasRatios(comparison) ? 'change' : 'difference'),
    ],
    rows: pairs.map((pair) => ({
      cells: [
        pairWords(pair),
        inScale(pair.baseline, scale),
        inScale(pair.candidate, scale),
        hasRatios(comparison) ? changeWords(comparison, pair.change) : inScale(pair.candidate - pair.baseline, scale),
      ],
    })),
    notes: ['The estimate, its interval and every picture use these values and no others.'],
  };
}

/**
 * Whether each pair has a relative change. A pair with a zero has none: then pairs are compared by their differences.
 */
function hasRatios({ metric, pairs }: Comparison): boolean {
  const isDifference = metricNamed(metric)?.compared === 'difference';
  return isDifference || pairs.every(({ baseline, candidate }) => baseline > 0 && candidate > 0);
}

/** The changes in one line: `1 +31.0 %, 2 +28.4 %, 3 (attempt 2) +30.2 %`. */
export function pairsInWords(comparison: Comparison): string {
  const relative = hasRatios(comparison) ? '' : ' of the baseline’s median';
  return comparison.pairs
    .map((pair) => `${pairWords(pair)} ${changeWords(comparison, pair.change)}${relative}`)
    .join(', ');
}

/** A change in words. Shares change by percentage points. */
export function changeWords(comparison: Pick<Comparison, 'metric' | 'unit'>, change: number | null): string {
  if (change === null || metricNamed(comparison.metric)?.kind !== 'share') return signedPercent(change);
  const text = changeSizes(comparison.metric).size(change);
  return change > 0 ? `+${text}` : text;
}
