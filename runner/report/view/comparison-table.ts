import { type Comparison, replicasOf } from '../../contract/comparison.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { changesOf, isMember, metricRank } from '../../metrics/catalogue.ts';
import { excludesZero } from '../../statistics/exact-interval.ts';
import { changeWords, pairsIn } from './answer.ts';
import { lookedAtWords } from './regressions.ts';
import { estimateNotes, labelWithUnit, metricWords, scaleOfCompared } from '../words/metric-words.ts';
import { left, right, type Row, type Table } from './table.ts';
import { absent, inScale, withNoun } from '../../contract/format.ts';

/**
 * Study 1's table, one for each pair of variants: metric, baseline, candidate, change, speed-up, interval, verdict. The
 * notes are below the last one.
 */
export function comparisonTables(comparisons: readonly Comparison[]): Table[] {
  const pairs = pairsIn(comparisons.filter(({ metric, primary }) => primary || !isMember(metric)));
  return pairs.map((own, index) => ({
    ...comparisonTable(own),
    notes: index === pairs.length - 1 ? notes(comparisons) : [],
  }));
}

function comparisonTable(comparisons: readonly Comparison[]): Omit<Table, 'notes'> {
  const [first] = comparisons;
  const baseline = first?.baseline.variant ?? 'baseline';
  const candidate = first?.candidate.variant ?? 'candidate';
  const sorted = [...comparisons].sort((a, b) => metricRank(a.metric) - metricRank(b.metric));
  return {
    title: `${candidate} against ${baseline}${levelSuffix(first?.conditions ?? {})}`,
    columns: [
      left('metric'),
      { ...right(baseline, 2), isMixed: true },
      { ...right(candidate, 2), isMixed: true },
      right('change', 3),
      right('speed-up', 1),
      right('interval of change'),
      left('verdict'),
    ],
    rows: sorted.map(comparisonRow),
    summary: summaryWords(sorted),
  };
}

function summaryWords(comparisons: readonly Comparison[]): string {
  const intervals = comparisons.flatMap(({ interval }) => interval ?? []);
  const beyond = intervals.filter(excludesZero).length;
  const metrics = withNoun(comparisons.length, 'metric');
  if (intervals.length === 0) return metrics;
  return `${metrics}; of ${intervals.length} with an interval, ${beyond} changed beyond chance`;
}

function comparisonRow(comparison: Comparison): Row {
  const { baseline, candidate, change, speedup, interval, primary, verdict, withheld } = comparison;
  const words = metricWords(comparison);
  const scale = scaleOfCompared([comparison], words.kind);
  return {
    cells: [
      `${labelWithUnit(words, scale)}${!primary && comparison.scope === 'configurations' && replicasOf(comparison) > 1 ? ', by pair of instances' : ''}`,
      inScale(baseline.value, scale),
      inScale(candidate.value, scale),
      changeWords(comparison, change),
      primary ? changeWords({ metric: 'tps', change: speedup }, speedup) : '',
      interval ? changesOf(comparison.metric, change).range(interval.low, interval.high) : absent,
      verdict ?? (withheld.length === 0 ? '' : primary ? 'withheld' : 'none: exploratory'),
    ],
    emphasis: primary ? 'strong' : undefined,
    tone: verdict === 'better' ? 'good' : verdict === 'worse' || (primary && withheld.length > 0) ? 'bad' : undefined,
  };
}

function notes(comparisons: readonly Comparison[]): string[] {
  const looked = lookedAtWords(comparisons);
  return [
    comparisons.some(({ pairs }) => pairs.length > 0)
      ? 'Each change is computed from the two values beside it: the centre of each side, estimated from the pairs, or means if the row says so. The medians are in result.json.'
      : 'Values are medians.',
    ...(comparisons.some(({ primary }) => primary)
      ? [
          'Only the metric that was declared beforehand gets a verdict; the others are descriptive. Its speed-up is how many times better it is, minus one. For times, that is baseline divided by candidate, minus one.',
        ]
      : []),
    ...(looked === '' ? [] : [`What got worse is looked for in ${looked}.`]),
    ...estimateNotes([...new Set(comparisons.map(({ metric }) => metric))]),
  ];
}
