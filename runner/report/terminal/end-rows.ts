import type { ChangePlot } from '../first-screen/change-plot.ts';
import type { FirstScreen } from '../first-screen/model.ts';
import type { OtherChange } from '../first-screen/other-changes.ts';
import { inDigits } from '../../contract/format.ts';
import { cutTo } from '../media/wrap.ts';

/**
 * A row for each variant or level, if a run compared several: the value, the change, its range, and its verdict. Empty if
 * it compared two variants once.
 *
 * @param max lines; if there are more rows, the last line counts them
 */
export function comparedRows(plot: ChangePlot | null, columns: number, max: number): string[] {
  if (plot === null || plot.baseline === null || max < minRows) return [];
  const { metric, baseline, sides } = plot;
  const isColumn = baseline === 'column';
  const rows = plot.rows.map(({ name, words: { before, after, change, range }, verdict }) => [
    name,
    ...(isColumn ? [before] : []),
    after,
    change,
    range === '' ? '' : `(${range})`,
    verdict,
  ]);
  if (!isColumn) rows.splice(baseline.rowsAbove, 0, [baseline.variant, baseline.value, '', '', 'baseline']);
  const { before, after } = sides ?? { before: 'before', after: 'after' };
  const headsOf = (letters: number): string[] =>
    isColumn
      ? [metric, ...[before, after].map((side) => cutTo(side, letters)), 'change', '', '']
      : ['', metric, 'change', '', ''];
  const widths = lettersOfHeads.map(headsOf);
  const heads = widths.find((one) => widthOf([one, ...rows]) <= columns) ?? widths.at(-1) ?? [];
  const shown = rows.length + 1 <= max ? rows : rows.slice(0, max - 2);
  const left = rows.length - shown.length;
  return [...aligned([heads, ...shown], columns), ...(left > 0 ? [`  … and ${left} more in the report`] : [])];
}

/** Letters of a name above its values: as many as fit. */
const lettersOfHeads = [16, 12, 9];

/** With fewer lines, a table says less than its count. */
const minRows = 4;

/** A row for each metric that users notice and that changed for the better or the worse, beside the one that decides. */
export function otherRows(side: 'better' | 'worse', changes: readonly OtherChange[], columns: number): string[] {
  return labelled(
    side,
    changes.map(({ who, metric, before, after, change, range }) => [
      `${who === '' ? '' : `${who}: `}${metric}`,
      `${before} → ${after}`,
      change,
      range === '' ? '' : `(${range})`,
    ]),
    columns,
  );
}

/** What used the CPUs besides the run, where that takes the verdict away. */
export function takerLines({ takers }: FirstScreen, columns: number): string[] {
  const rows = (takers?.rows ?? []).map(({ name, percent }) => [name, `${percent}%`, '', '']);
  return labelled('CPUs', rows, columns);
}

export function priceLines({ price }: FirstScreen, columns: number): string[] {
  return labelled(
    'price',
    price.map(({ what, before, after, change, range }) => [
      what,
      before === '' ? '' : `${before} → ${after}`,
      change,
      range === '' ? '' : `(${range})`,
    ]),
    columns,
  );
}

/** How many blocks would give the answer that is still open, by their chance of a verdict. */
export function settleLines({ settle }: FirstScreen, columns: number): string[] {
  const rows = (settle?.rows ?? []).filter(({ chance }) => chance !== '');
  return labelled(
    'settle',
    rows.map(({ who, blocks, chance, time }) => [
      `${who === '' ? '' : `${who}: `}${inDigits(blocks)} ${settle?.counted ?? ''}`,
      time,
      `chance ${chance}`,
      '',
    ]),
    columns,
  );
}

/** Where transaction time goes: the largest kinds, and all together. @param kinds that are shown, besides the sum */
export function timeLines({ time }: FirstScreen, columns: number, kinds: number): string[] {
  if (time === null) return [];
  const rows = [...time.rows.slice(0, kinds), time.whole];
  return labelled(
    'time',
    rows.map(({ name, before, after }) => [name, `${before} → ${after} ${time.unit}`, '', '']),
    columns,
  );
}

/** Rows of one kind, whose name stands before the first. */
function labelled(label: string, rows: readonly string[][], columns: number): string[] {
  const named = rows.map((row, index) => [index === 0 ? label : '', ...row]);
  return aligned(named, columns, { first: 9, left: 2 });
}

const gap = 2;

function widthsOf(rows: readonly string[][]): number[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  return Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
}

/** With the gap before each column. */
function widthOf(rows: readonly string[][]): number {
  return widthsOf(rows).reduce((sum, width) => sum + gap + width, 0);
}

/**
 * Rows in columns, two spaces apart. If they are too wide, the first text gives way: names may be long.
 *
 * @param options.left columns that begin at their left, besides the last
 */
function aligned(
  rows: readonly string[][],
  columns: number,
  { first = 0, left = 1 }: { first?: number; left?: number } = {},
): string[] {
  const widths = widthsOf(rows);
  const count = widths.length;
  if (first > 0) widths[0] = first - gap;
  const named = left - 1;
  const total = widths.reduce((sum, width) => sum + width + gap, 0);
  const own = widths[named] ?? 0;
  widths[named] = Math.min(own, Math.max(12, own - Math.max(0, total - columns)));
  return rows.map((row) =>
    cutTo(
      `  ${row
        .map((text, column) => {
          const width = widths[column] ?? 0;
          const fitting = column === named ? cutTo(text, width) : text;
          return column < left || column >= count - 2 ? fitting.padEnd(width) : fitting.padStart(width);
        })
        .join('  ')}`.trimEnd(),
      columns,
    ),
  );
}
