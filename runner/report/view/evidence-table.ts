import { isFamily, memberName, type MembersTable, type Metric, partOf } from '../../contract/metric.ts';
import type { Result } from '../../contract/result.ts';
import { catalogue, membersIn } from '../../metrics/catalogue.ts';
import { valueOf } from '../../metrics/value.ts';
import { median } from '../../statistics/summaries.ts';
import { labelWithUnit, metricScale } from '../words/metric-words.ts';
import { countInWords, inScale, scaleFor } from '../words/quantities.ts';
import { cellsOf, left, right, type Table } from './table.ts';
import type { Statement } from '../../contract/seen-on-server.ts';

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
      'From the trials that count. Server counters are the differences between a snapshot before and one after each trial.',
      'Client time is what remains of a transaction’s turn (clients / TPS) without its latency, the time to connect, and the time of failed transactions.',
    ],
  };
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

const mostStatements = 5;
const longestText = 90;

/** The costliest statements of any side, from pg_stat_statements. Each trial records its own five costliest. */
export function statementsTable(result: Result, counted: ReadonlySet<string>): Table {
  const sides = cellsOf(result, counted).map(({ label, trials }) => ({
    label,
    statements: meansOf(trials.map(({ facts }) => facts.statements ?? [])),
  }));
  const totals = new Map<string, number>();
  for (const { statements } of sides) {
    for (const { text, totalTime } of statements) totals.set(text, Math.max(totals.get(text) ?? 0, totalTime));
  }
  const shown = [...totals]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostStatements)
    .map(([text]) => text);
  const all = sides.flatMap(({ statements }) => statements.filter(({ text }) => shown.includes(text)));
  const scales = {
    calls: scaleFor(
      'count',
      all.map(({ calls }) => Math.round(calls)),
    ),
    total: scaleFor(
      'duration',
      all.map(({ totalTime }) => totalTime),
    ),
    mean: scaleFor(
      'latency',
      all.map(({ meanTime }) => meanTime),
    ),
    wal: scaleFor(
      'bytes',
      all.map(({ walBytes, calls }) => walBytes / Math.max(1, calls)),
    ),
  };
  return {
    title: 'The costliest statements',
    columns: [
      left('statement'),
      left('variant'),
      right('calls', 2),
      right(`total time (${scales.total.unit})`, 3),
      right(`time per call (${scales.mean.unit})`),
      right(`WAL per call (${scales.wal.unit})`, 1),
    ],
    rows: shown.flatMap((text) =>
      sides.flatMap(({ label, statements }) =>
        statements
          .filter((one) => one.text === text)
          .map(({ calls, totalTime, meanTime, walBytes }) => ({
            cells: [
              text.length > longestText ? `${text.slice(0, longestText)}…` : text,
              label,
              inScale(Math.round(calls), scales.calls),
              inScale(totalTime, scales.total),
              inScale(meanTime, scales.mean),
              inScale(walBytes / Math.max(1, calls), scales.wal),
            ],
          })),
      ),
    ),
    notes: ['From pg_stat_statements; means of the trials that count. Times are server time only.'],
  };
}

/** By text: the number of a statement differs between servers. */
function meansOf(trials: readonly (readonly Statement[])[]): Statement[] {
  const byText = new Map<string, Statement[]>();
  for (const one of trials.flat()) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  return [...byText.values()].flatMap((own) => {
    const [first] = own;
    if (!first) return [];
    const sum = (value: (one: Statement) => number): number => own.reduce((total, one) => total + value(one), 0);
    const calls = sum((one) => one.calls);
    return [
      {
        ...first,
        calls: calls / own.length,
        totalTime: sum((one) => one.totalTime) / own.length,
        meanTime: calls > 0 ? sum((one) => one.totalTime) / calls : 0,
        walBytes: sum((one) => one.walBytes) / own.length,
      },
    ];
  });
}
