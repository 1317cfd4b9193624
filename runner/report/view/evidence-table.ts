import type { Comparison } from '../../contract/comparison.ts';
import { isFamily, memberName, type MembersTable, type Metric, partOf } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { catalogue, membersIn } from '../../metrics/catalogue.ts';
import { evidenceGroups, groupOf } from '../../metrics/evidence-groups.ts';
import { valueOf } from '../../metrics/value.ts';
import { excludesZero } from '../../statistics/exact-interval.ts';
import { median } from '../../statistics/summaries.ts';
import { changeSizes, labelWithUnit, metricScale, metricWords, scaleOfCompared } from '../words/metric-words.ts';
import { absent, countInWords, inScale } from '../words/quantities.ts';
import { changeWords } from './answer.ts';
import { cellsOf, left, right, type Row, type Table } from './table.ts';

/**
 * Metrics that explain the answer, by what they are about; within a group, the largest change stands first. If two sides
 * are compared, a row has the change between them: from the comparison if the metric has one, otherwise from the
 * medians of the trials that count. Rows without any value are left out.
 */
export function evidenceTable(result: Result, counted: ReadonlySet<string>): Table {
  const cells = cellsOf(result, counted);
  const isPair = cells.length === 2;
  const found = catalogue
    .filter((metric) => !metric.ofTheLoad && !metric.hidden && !isFamily(metric))
    .flatMap((metric) => {
      const medians = cells.map(({ trials }) => median(trials.flatMap((trial) => valueOf(metric, trial) ?? [])));
      if (medians.every((each) => each === null)) return [];
      const comparison = isPair ? result.comparisons.find((one) => one.metric === metric.name) : undefined;
      return [{ metric, medians, change: comparison?.change ?? changeOf(metric, medians), comparison }];
    })
    .toSorted((a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
  const rows = evidenceGroups.flatMap((group) =>
    found.filter(({ metric }) => groupOf(metric) === group).map((one) => evidenceRow(one, { group, isPair })),
  );
  const [compared, beyond] = [
    found.filter(({ comparison }) => comparison?.interval),
    rows.filter(({ differs }) => differs),
  ];
  return {
    title: 'What server and driver were doing',
    columns: [
      left('per trial'),
      ...cells.map(({ label }) => ({ ...right(label), isMixed: true as const })),
      ...(isPair ? [right('change', 2), right('interval of change', 1)] : []),
    ],
    rows,
    ...(compared.length > 0 && {
      holds: `${rows.length} rows; of ${compared.length} compared, ${beyond.length} ${beyond.length === 1 ? 'differs' : 'differ'} beyond chance`,
      onlyDiffering: 'Only what differs beyond chance',
    }),
    notes: [
      'Medians of the trials that count. Server counters are the differences between a snapshot before and one after each trial.',
      ...(compared.length > 0
        ? [
            'A row with an interval has the centres of both sides instead, estimated from the pairs. It is in bold if the interval excludes zero.',
          ]
        : []),
      'Client time is what remains of a transaction’s turn (clients / TPS) without its latency, the time to connect, and the time of failed transactions.',
    ],
  };
}

interface Evidence {
  metric: Metric;
  /** Of each column. */
  medians: (number | null)[];
  change: number | null;
  comparison: Comparison | undefined;
}

function evidenceRow(
  { metric, medians, change, comparison }: Evidence,
  { group, isPair }: { group: string; isPair: boolean },
): Row {
  const values = comparison ? [comparison.baseline.value, comparison.candidate.value] : medians;
  const [baseline = null, candidate = null] = values;
  const compared = { metric: metric.name, change, baseline: { value: baseline }, candidate: { value: candidate } };
  const words = comparison ? metricWords(comparison) : { ...metric, per: '' };
  const isByRatio = isPair && metric.kind !== 'share';
  const scale =
    isByRatio || comparison ? scaleOfCompared([compared], words.kind) : metricScale(metric.name, metric.kind, values);
  const { interval = null } = comparison ?? {};
  const differs = interval === null ? undefined : excludesZero(interval);
  return {
    cells: [
      labelWithUnit(words, scale),
      ...values.map((each) => inScale(each, scale)),
      ...(isPair ? [changeWords({ metric: metric.name, unit: metric.unit }, change)] : []),
      ...(isPair ? [interval ? changeSizes(metric.name).range(interval.low, interval.high) : absent] : []),
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
    title: 'What is not known, and why',
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

/** Tables leave out members whose largest value is below this part of the largest value of all members. */
const leastPart = 0.001;

/**
 * A row for each member on each side, and a column for each metric that any member has. Values are medians of the
 * trials that count.
 */
export function membersTable(
  result: Result,
  counted: ReadonlySet<string>,
  { title, what, placeholder, first = [], notes }: MembersTable,
): Table {
  const cells = cellsOf(result, counted);
  const place = ({ name }: Metric): number => {
    const found = first.findIndex((end) => name.endsWith(`.${end}`));
    return found === -1 ? first.length : found;
  };
  const families = catalogue
    .filter((metric) => isFamily(metric) && !metric.hidden && metric.name.includes(placeholder))
    .sort((a, b) => place(a) - place(b));
  const trials = cells.flatMap((cell) => cell.trials);
  const parts = [
    ...new Set(
      families.flatMap((family) => membersIn(family, trials).map((member) => partOf(family, member.name) ?? '')),
    ),
  ].sort();
  const columns = families.map((family) => ({
    family,
    values: parts.map((part) =>
      cells.map((cell) => median(cell.trials.flatMap((trial) => valueOf(memberNamed(family, part), trial) ?? []))),
    ),
  }));
  const shown = columns
    .filter(({ values }) => values.flat().some((value) => value !== null && value !== 0))
    .map(({ family, values }) => ({ family, values, scale: metricScale(family.name, family.kind, values.flat()) }));
  const rows = parts.flatMap((part, row) =>
    cells.flatMap((cell, side) => {
      const own = shown.map(({ values }) => values[row]?.[side] ?? null);
      const matters = shown.some(({ values }) => {
        const largest = Math.max(...values.flat().map((value) => Math.abs(value ?? 0)));
        return values[row]?.some((value) => Math.abs(value ?? 0) >= leastPart * largest && value !== 0);
      });
      if (!matters || own.every((value) => value === null)) return [];
      return [
        {
          cells: [part, cell.label, ...shown.map(({ scale }, index) => inScale(own[index] ?? null, scale))],
        },
      ];
    }),
  );
  return {
    title,
    columns: [
      left(what),
      left('variant'),
      ...shown.map(({ family: { label, column = label }, scale }, index) =>
        right(labelWithUnit({ label: column, per: '' }, scale), shown.length - index),
      ),
    ],
    rows,
    notes: ['Medians of the trials that count.', ...notes],
  };
}

function memberNamed(family: Metric, part: string): Pick<Metric, 'name' | 'zeroWith'> {
  return { name: memberName(family, part), ...(family.zeroWith === undefined ? {} : { zeroWith: family.zeroWith }) };
}
