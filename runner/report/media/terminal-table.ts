import picocolors from 'picocolors';
import { noBreakSpace } from './wrap.ts';
import type { Column, Row, Table } from './table.ts';

export interface TerminalOptions {
  /** Width of the terminal. To fit into it, tables break their texts and leave out the least needed columns. */
  columns: number;
  colour: boolean;
}

type Colours = ReturnType<typeof picocolors.createColors>;

/** Columns of space between two columns of the table. */
const gap = 2;
/** As long as a column can be left out, texts are not broken into columns narrower than this. */
const comfortable = 16;
const headComfortable = 12;

/** Draws a table with nothing but lines and spaces, so that it can be pasted anywhere. */
export function renderTable(table: Table, options: TerminalOptions): string {
  return [...tableParts(table, options)].join('\n');
}

/** The same, row by row. */
export function* tableParts(table: Table, { columns, colour }: TerminalOptions): Generator<string> {
  const { shown, widths } = fit(table, columns);
  yield* draw(shown, widths, picocolors.createColors(colour));
}

function fit(table: Table, columns: number): { shown: Table; widths: number[] } {
  const minWidths = (shown: Table, min: number, at = spaces): number[] =>
    shown.columns.map((column, index) => minWidth(column, cellsIn(shown, index), min, at));
  const narrow = (shown: Table, min: readonly number[]): number[] | null =>
    shrink(naturalWidths(shown), min, columns - gap * (shown.columns.length - 1));
  for (let shown = table; ;) {
    const widths = narrow(shown, minWidths(shown, comfortable));
    if (widths) return { shown, widths };
    const next = Math.min(...shown.columns.map(({ dropOrder = Infinity }) => dropOrder));
    if (next === Infinity) {
      const last = minWidths(shown, 0, breakable);
      return { shown, widths: narrow(shown, minWidths(shown, 0)) ?? narrow(shown, last) ?? last };
    }
    shown = withoutColumns(shown, next);
  }
}

/** Takes width from the widest columns; null if they cannot give enough. */
function shrink(natural: readonly number[], min: readonly number[], available: number): number[] | null {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - available;
  for (; excess > 0; excess -= 1) {
    const spare = widths.map((width, index) => (width > (min[index] ?? 0) ? width : 0));
    const widest = Math.max(...spare);
    if (widest === 0) return null;
    widths[spare.indexOf(widest)] = widest - 1;
  }
  return widths;
}

function cellsIn({ rows }: Table, index: number): string[] {
  return rows.map(({ cells }) => cells[index] ?? '');
}

function naturalWidths(table: Table): number[] {
  return table.columns.map(({ label }, index) =>
    longest([...headLines(label, headComfortable), ...cellsIn(table, index)]),
  );
}

/** Least width of a column. Only texts may be broken, never numbers. */
function minWidth({ label, align }: Column, cells: readonly string[], min: number, at: RegExp): number {
  const head = longest(label.split(breakable));
  if (align === 'right') return Math.max(head, longest(cells));
  const parts = cells.reduce((max, cell) => Math.max(max, minCellWidth(cell, at)), 0);
  return Math.max(head, parts, Math.min(longest(cells), min));
}

/** Least width of a cell. Every line after the first is indented by one more space. */
function minCellWidth(cell: string, at: RegExp): number {
  const indent = indentOf(cell).length;
  const [first = '', ...rest] = cell.trim().split(at);
  return indent + Math.max(longest([first]), rest.length === 0 ? 0 : longest(rest) + 1);
}

function longest(texts: readonly string[]): number {
  return texts.reduce((max, text) => Math.max(max, text.trimEnd().length), 0);
}

/** The head with a line below it, and then each row. */
function* draw({ columns, rows }: Table, widths: readonly number[], colours: Colours): Generator<string> {
  const head = columns.map(({ label }, index) => headLines(label, widths[index] ?? 0));
  const body = rows.map(({ cells }) => columns.map((_, index) => cellLines(cells[index] ?? '', widths[index] ?? 0)));
  // What cannot be broken is wider than it should be.
  const drawn = columns.map((_, index) => longest([head, ...body].flatMap((cells) => cells[index] ?? [])));
  const line = (cells: readonly string[][], colour: (text: string) => string): string =>
    rowLines(cells, { columns, widths: drawn, colour }).join('\n');
  yield line(head, colours.bold);
  if (rows.length > 0) yield '─'.repeat(drawn.reduce((sum, width) => sum + width, gap * (columns.length - 1)));
  for (const [index, row] of rows.entries()) yield line(body[index] ?? [], dress(row, colours));
}

function rowLines(
  cells: readonly string[][],
  {
    columns,
    widths,
    colour,
  }: { columns: readonly Column[]; widths: readonly number[]; colour: (text: string) => string },
): string[] {
  const height = Math.max(1, ...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((texts, index) => {
        const text = texts[line] ?? '';
        const space = ' '.repeat(Math.max(0, (widths[index] ?? 0) - text.length));
        const shown = text === '' ? '' : colour(text.replaceAll(noBreakSpace, ' '));
        return columns[index]?.align === 'right' ? space + shown : shown + space;
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  );
}

function dress({ emphasis, tone }: Row, colours: Colours): (text: string) => string {
  if (tone === 'good') return (text) => colours.green(colours.bold(text));
  if (tone === 'bad') return (text) => colours.red(colours.bold(text));
  if (emphasis === 'strong') return colours.bold;
  return emphasis === 'muted' ? colours.dim : String;
}

/**
 * Breaks a cell into lines: at spaces, and a word that is too long for its column after its hyphens. Lines after the first
 * are indented, so that they do not look like a row of their own. No line ends at a no-break space, which is shown as a
 * plain space.
 */
function cellLines(cell: string, width: number): string[] {
  if (cell.length <= width) return [cell];
  const indent = indentOf(cell);
  const room = width - indent.length;
  const parts = cell
    .trim()
    .split(spaces)
    .flatMap((word) => (word.trimEnd().length < room ? [word] : word.split(hyphens)));
  return pack(parts, (line) => (line === 0 ? room : room - 1)).map((line, index) =>
    index === 0 ? indent + line : `${indent} ${line}`,
  );
}

/** Names of variants are long, with hyphens. They are broken after a hyphen, so that they do not widen the column. */
function headLines(label: string, width: number): string[] {
  return pack(label.split(breakable), () => width);
}

const spaces = /(?<= )/;
const hyphens = /(?<=[-/])/;
const breakable = /(?<=[-/])|(?<= )/;

function indentOf(cell: string): string {
  return /^\s*/.exec(cell)?.[0] ?? '';
}

/** Puts as many parts into each line as fit. `widthOf` returns the width of a line by its index. */
function pack(parts: readonly string[], widthOf: (line: number) => number): string[] {
  const found: string[] = [];
  for (const part of parts) {
    const last = found.at(-1);
    if (last !== undefined && (last + part).trimEnd().length <= widthOf(found.length - 1)) {
      found[found.length - 1] = last + part;
    } else found.push(part);
  }
  return found.map((line) => line.trimEnd());
}

function withoutColumns(table: Table, dropOrder: number): Table {
  const keeps = (_: unknown, index: number): boolean => table.columns[index]?.dropOrder !== dropOrder;
  return {
    ...table,
    columns: table.columns.filter(keeps),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.filter(keeps) })),
  };
}
