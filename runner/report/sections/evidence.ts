import type { Comparison } from '../../contract/comparison.ts';
import { isFamily, type Metric } from '../../contract/metric.ts';
import { movableIn } from '../../analysis/movable.ts';
import type { Result } from '../../contract/result.ts';
import { catalogue } from '../../metrics/catalogue.ts';
import { evidenceGroups, groupOf } from '../../metrics/evidence-groups.ts';
import { valuesOf } from '../../metrics/value.ts';
import { excludesZero } from '../../statistics/exact-interval.ts';
import { median } from '../../statistics/summaries.ts';
import { countInWords, inScale, withNoun } from '../../contract/format.ts';
import { estimateNotes, labelWithUnit, metricScale, metricWords, scaleOfCompared } from '../metric-words.ts';
import { changeWords, intervalWords } from '../answer/answers.ts';
import { type Cell, cellsOf, left, right, type Row, type Table } from '../media/table.ts';
import { tableSection } from './section.ts';

/**
 * Metrics that explain the answer, by what they are about; within a group, the largest change stands first. If two sides
 * are compared, a row has the change between them: from the comparison if the metric has one, otherwise from the
 * medians of the trials that count. Rows without any value are left out, as are those that the load cannot move; those that are zero
 * on all sides are only named.
 */
export function evidenceTable(result: Result, counted: ReadonlySet<string>): Table {
  const cells = cellsOf(result, counted);
  const movable = movableIn(result);
  const all = evidenceOf(
    catalogue.filter(
      (metric) => !metric.reportedByLoad && !metric.hidden && !isFamily(metric) && movable.metric(metric.name),
    ),
    cells,
    result.comparisons,
  ).toSorted((a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
  const found = all.filter((one) => !isZero(one));
  const zero = all.filter(isZero).map(({ metric }) => metric.label);
  const groups = evidenceGroups.map((group) => ({
    group,
    found: found.filter(({ metric }) => groupOf(metric) === group),
  }));
  return tableOfEvidence(groups, cells, {
    title: 'Server and driver metrics',
    notes: [
      'Server counters: difference between snapshots before and after each trial.',
      'Client overhead: clients / TPS, minus latency, connection time and time of failed transactions.',
      ...(zero.length > 0 ? [`Zero on all sides: ${zero.join('; ')}.`] : []),
    ],
  });
}

/** What the trials of each column measured by these metrics, without those that none has a value of. */
export function evidenceOf(
  metrics: readonly Metric[],
  cells: readonly Cell[],
  comparisons: readonly Comparison[],
): Evidence[] {
  const isPair = cells.length === 2;
  return metrics.flatMap((metric) => {
    const medians = cells.map(({ trials }) => median(valuesOf(metric, trials)));
    if (medians.every((each) => each === null)) return [];
    const comparisonOf = (name: string): Comparison | undefined =>
      isPair ? comparisons.find((one) => one.metric === name) : undefined;
    const undivided = comparisonOf(metric.perTransactionOf ?? '');
    if (undivided && metricWords(undivided).per !== '') return [];
    const comparison = comparisonOf(metric.name);
    return [{ metric, medians, change: comparison?.change ?? changeOf(metric, medians), comparison }];
  });
}

/** A row for each metric, group by group; if two sides are compared, with the change between them. */
export function tableOfEvidence(
  groups: readonly { group: string | undefined; found: readonly Evidence[] }[],
  cells: readonly Cell[],
  { title, notes }: Pick<Table, 'title' | 'notes'>,
): Table {
  const isPair = cells.length === 2;
  const rows = groups.flatMap(({ group, found }) => found.map((one) => evidenceRow(one, { group, isPair })));
  const compared = groups.flatMap(({ found }) => found.filter(({ comparison }) => comparison?.interval));
  const beyond = rows.filter(({ differs }) => differs);
  return {
    title,
    columns: [
      left('per trial'),
      ...cells.map(({ label }) => ({ ...right(label), isMixed: true as const })),
      ...(isPair ? [right('change', 2), right('confidence interval', 1)] : []),
    ],
    rows,
    ...(compared.length > 0 && {
      summary: `${rows.length} rows${leftOpen(rows.length - compared.length)}; ${beyond.length} of ${withNoun(compared.length, 'interval excludes zero', 'intervals exclude zero')}`,
      onlyDiffering: 'Only intervals that exclude zero',
    }),
    notes: [
      'Medians of valid trials.',
      ...(compared.length > 0
        ? ['Rows with an interval show paired estimates instead. Bold: the interval excludes zero.']
        : []),
      ...notes,
      ...estimateNotes(groups.flatMap(({ found }) => found.map(({ metric }) => metric.name))),
    ],
  };
}

function isZero({ medians, comparison }: Evidence): boolean {
  const values = comparison ? [comparison.baseline.value, comparison.candidate.value] : medians;
  return values.every((value) => value === 0 || value === null) && medians.every((value) => !value);
}

/** Rows without an interval: that none of them counts as differing does not mean that they are the same. */
function leftOpen(rows: number): string {
  return rows === 0 ? '' : `, ${rows} without a paired comparison`;
}

/** What was measured by one metric. */
export interface Evidence {
  metric: Metric;
  /** Of each column. */
  medians: (number | null)[];
  change: number | null;
  comparison: Comparison | undefined;
}

function evidenceRow(
  { metric, medians, change, comparison }: Evidence,
  { group, isPair }: { group: string | undefined; isPair: boolean },
): Row {
  const values = comparison ? [comparison.baseline.value, comparison.candidate.value] : medians;
  const [baseline = null, candidate = null] = values;
  const compared = { metric: metric.name, change, baseline: { value: baseline }, candidate: { value: candidate } };
  const words = { label: metric.label, kind: metric.kind, per: comparison ? metricWords(comparison).per : '' };
  const isByRatio = isPair && metric.kind !== 'share';
  const scale =
    isByRatio || comparison ? scaleOfCompared([compared], words.kind) : metricScale(metric.name, metric.kind, values);
  const { interval = null } = comparison ?? {};
  const differs = interval === null ? undefined : excludesZero(interval);
  return {
    cells: [
      labelWithUnit(words, scale),
      ...values.map((each) => inScale(each, scale)),
      ...(isPair
        ? [
            changeWords({ metric: metric.name, change }, change),
            intervalWords({ metric: metric.name, change, interval }),
          ]
        : []),
    ],
    group,
    differs,
    emphasis: differs ? 'strong' : undefined,
  };
}

/** Between the two values that the row shows: relative, or a difference of shares; null if there is none. */
function changeOf({ kind }: Metric, [baseline = null, candidate = null]: readonly (number | null)[]): number | null {
  if (baseline === null || candidate === null) return null;
  if (kind === 'share') return candidate - baseline;
  return baseline === 0 ? null : candidate / baseline - 1;
}

/** What could not be collected, and why: a reader must not take silence for zero. */
export function absentTable({ trials }: Pick<Result, 'trials'>, counted: ReadonlySet<string>): Table {
  const own = trials.filter(({ id }) => counted.has(id));
  const found = new Map<string, { source: string; reason: string; variants: Set<string>; trials: number }>();
  for (const { facts, conditions } of own) {
    for (const [source, reason] of Object.entries(facts.absent ?? {})) {
      const key = JSON.stringify([source, reason]);
      const known = found.get(key) ?? { source, reason, variants: new Set(), trials: 0 };
      known.variants.add(conditions.variant);
      found.set(key, { ...known, trials: known.trials + 1 });
    }
  }
  return {
    title: 'Missing data',
    columns: [left('source'), left('reason'), left('trials')],
    rows: [...found.values()].map(({ source, reason, variants, trials: count }) => ({
      cells: [
        source,
        reason,
        count === own.length ? 'all' : `${countInWords(count)} of ${own.length}: ${[...variants].join(', ')}`,
      ],
    })),
    notes: [],
  };
}

export const evidenceSection = tableSection('evidence', ({ result, counted }) => evidenceTable(result, counted));

export const absentSection = tableSection('absent', ({ result, counted }) => absentTable(result, counted), {
  layout: 'texts',
});
