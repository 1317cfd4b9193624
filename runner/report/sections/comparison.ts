import { type Comparison, pairWords, replicasOf, unitOf, unitWords } from '../../contract/comparison.ts';
import { conditionsWords, levelSuffix } from '../../contract/trial.ts';
import { isMember, metricNamed, metricRank } from '../../metrics/catalogue.ts';
import { excludesZero } from '../../statistics/exact-interval.ts';
import { inScale, withNoun } from '../../contract/format.ts';
import { changeWords, intervalWords, pairsIn, pairsInWords } from '../answer/answers.ts';
import { lookedAtWords } from './worse.ts';
import { estimateNotes, labelWithUnit, metricWords, scaleOfCompared } from '../metric-words.ts';
import { left, right, type Row, type Table } from '../media/table.ts';
import { type SectionBlock, type Section, tableBlock } from './section.ts';
import { noBreakSpace } from '../media/wrap.ts';
import { costsTable } from './costs.ts';

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
    title: `${candidate} vs ${baseline}${levelSuffix(first?.conditions ?? {})}`,
    columns: [
      left('metric'),
      { ...right(baseline, 2), isMixed: true },
      { ...right(candidate, 2), isMixed: true },
      right('change', 3),
      right('speed-up', 1),
      right('confidence interval'),
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
  return `${metrics}; ${beyond} of ${withNoun(intervals.length, 'interval excludes zero', 'intervals exclude zero')}`;
}

function comparisonRow(comparison: Comparison): Row {
  const { baseline, candidate, change, speedup, primary, verdict, withheld } = comparison;
  const words = metricWords(comparison);
  const scale = scaleOfCompared([comparison], words.kind);
  return {
    cells: [
      `${labelWithUnit(words, scale)}${!primary && comparison.scope === 'configurations' && replicasOf(comparison) > 1 ? ', per instance pair' : ''}`,
      inScale(baseline.value, scale),
      inScale(candidate.value, scale),
      changeWords(comparison, change),
      primary ? changeWords({ metric: 'tps', change: speedup }, speedup) : '',
      intervalWords(comparison),
      verdict ?? (withheld.length === 0 ? '' : primary ? 'withheld' : 'exploratory'),
    ],
    emphasis: primary ? 'strong' : undefined,
    tone: verdict === 'better' ? 'good' : verdict === 'worse' || (primary && withheld.length > 0) ? 'bad' : undefined,
  };
}

function notes(comparisons: readonly Comparison[]): string[] {
  const looked = lookedAtWords(comparisons);
  return [
    comparisons.some(({ pairs }) => pairs.length > 0)
      ? 'Each change follows from the two values beside it: paired estimates, or means if the row says so. Medians are in result.json.'
      : 'Values are medians.',
    ...(comparisons.some(({ primary }) => primary)
      ? [
          'Only the metric declared before the run gets a verdict. Speed-up: how many times better, minus one; for times, baseline / variant − 1.',
        ]
      : []),
    ...(looked === '' ? [] : [`Metrics checked for regressions: ${looked}.`]),
    ...estimateNotes([...new Set(comparisons.map(({ metric }) => metric))]),
  ];
}

/** One table for each comparison that decides. It has a row for each pair that the estimate used, and no others. */
function pairsTables(comparisons: readonly Comparison[]): Table[] {
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
    title: `Blocks compared: ${candidate.variant} vs ${baseline.variant}${levelSuffix(conditions)}`,
    columns: [
      right(unitWords(unitOf(comparison), 1)),
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
    notes: ['The estimate, its interval and all charts use only these values.'],
  };
}

/** Whether each pair has a relative change. A pair with a zero has none. */
function hasRatios({ metric, pairs }: Comparison): boolean {
  const isDifference = metricNamed(metric)?.compared === 'difference';
  return isDifference || pairs.every(({ baseline, candidate }) => baseline > 0 && candidate > 0);
}

/** Study 1's table for each candidate. In a terminal, a single one needs no title. */
export function comparisonBlocks(tables: readonly Table[]): SectionBlock[] {
  return tables.map((table) => tableBlock(table, tables.length > 1 ? {} : { titleIn: ['markdown', 'page'] }));
}

/** The pairs that the estimates used, in a line for each comparison that decides. */
export function changesByBlock(comparisons: readonly Comparison[], tables: readonly Table[]): SectionBlock[] {
  const deciding = comparisons.filter(({ primary, pairs }) => primary && pairs.length > 0);
  return [
    {
      parts: deciding.map((comparison) => {
        const { candidate, baseline, conditions } = comparison;
        const of = tables.length > 1 ? ` of ${conditionsWords({ ...conditions, variant: candidate.variant })}` : '';
        return {
          kind: 'paragraph',
          lead: `Changes by block${of}: `,
          text: `${inOnePiece(pairsInWords(comparison))} against ${baseline.variant}.`,
          isQuiet: true,
        };
      }),
    },
  ];
}

/** Keeps a block and its change on one line. */
function inOnePiece(list: string): string {
  return list.replaceAll(/(?<!,) /g, noBreakSpace);
}

/** Every metric of each candidate against the baseline. */
export const comparisonSection: Section = {
  id: 'comparison',
  blocks: ({ result }) => comparisonBlocks(comparisonTables(result.comparisons)),
};

export const changesByBlockSection: Section = {
  id: 'changes-by-block',
  blocks: ({ result: { comparisons } }) => changesByBlock(comparisons, comparisonTables(comparisons)),
};

/** The pairs of each comparison that decides. */
export const pairsSection: Section = {
  id: 'pairs',
  blocks: ({ result }) => pairsTables(result.comparisons).map((table) => tableBlock(table)),
};

/** What a reader needs to know to read the tables of a terminal correctly. */
export const notesSection: Section = {
  id: 'notes',
  blocks: ({ result }) => {
    const notes = [...(comparisonTables(result.comparisons).at(-1)?.notes ?? []), ...costsTable(result).notes];
    return [{ parts: [{ kind: 'paragraph', text: notes.join(' '), isQuiet: true }] }];
  },
};
