import { movableIn } from '../../analysis/movable.ts';
import type { Result } from '../../contract/result.ts';
import type { Statement } from '../../contract/server-facts.ts';
import { inScale, scaleFor } from '../../contract/format.ts';
import { cellsOf, left, right, type Table } from '../media/table.ts';
import { tableSection } from './section.ts';

const maxStatements = 5;
/** Of the beginning that the table shows, so that the numbers beside it have room. */
const longestText = 70;

/** Most expensive statements of any side, from pg_stat_statements. Each trial records its own five costliest. */
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
    .slice(0, maxStatements)
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
  const { writes } = movableIn(result);
  return {
    title: 'Most expensive statements',
    columns: [
      left('statement'),
      left('variant'),
      right('calls', 2),
      right(`total time (${scales.total.unit})`, 3),
      right(`time per call (${scales.mean.unit})`),
      ...(writes ? [right(`WAL per call (${scales.wal.unit})`, 1)] : []),
    ],
    rows: shown.flatMap((text) =>
      sides.flatMap(({ label, statements }) =>
        statements
          .filter((one) => one.text === text)
          .map(({ calls, totalTime, meanTime, walBytes }) => ({
            cells: [
              shortened(text),
              label,
              inScale(Math.round(calls), scales.calls),
              inScale(totalTime, scales.total),
              inScale(meanTime, scales.mean),
              ...(writes ? [inScale(walBytes / Math.max(1, calls), scales.wal)] : []),
            ],
            ...(shortened(text) !== text && { more: { 0: { whole: text } } }),
          })),
      ),
    ),
    notes: ['From pg_stat_statements: means of valid trials. Server time only.'],
  };
}

function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}…` : text;
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

export const statementsSection = tableSection('statements', ({ result, counted }) => statementsTable(result, counted));
