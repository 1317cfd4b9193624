import CliTable from 'cli-table3';
import picocolors from 'picocolors';
import type { Comparison } from '../../contract/result.ts';
import { type AnswerContext, type Answer, answers } from '../view/answer.ts';
import { comparisonTables } from '../view/comparison-table.ts';
import type { Row, Table } from '../view/table.ts';
import { wrap } from './wrap.ts';

export interface TerminalOptions {
  /** Width of the terminal; tables shed their least needed columns to fit. */
  columns: number;
  colour: boolean;
}

type Colours = ReturnType<typeof picocolors.createColors>;

/** What to leave out, a column at a time, until a comparison fits: the answer above it says the verdict. */
const dispensable = ['verdict', 'speed-up', 'interval of change'];

/** Study 1's table for each candidate; several candidates get a title each. */
export function renderComparisonTable(comparisons: readonly Comparison[], options: TerminalOptions): string {
  const { bold } = picocolors.createColors(options.colour);
  const tables = comparisonTables(comparisons);
  return tables
    .map((table) => {
      const text = renderTable(table, options);
      return tables.length > 1 ? `${bold(table.title)}\n${text}` : text;
    })
    .join('\n\n');
}

/** The answer for each candidate: a sentence and what it rests on. */
export function renderAnswers(
  comparisons: readonly Comparison[],
  context: AnswerContext,
  options: TerminalOptions,
): string {
  return answers(comparisons, context)
    .map((answer) => renderAnswer(answer, options))
    .join('\n\n');
}

export function renderAnswer({ headline, evidence, verdict }: Answer, { columns, colour }: TerminalOptions): string {
  const colours = picocolors.createColors(colour);
  const dress = verdict === 'better' ? colours.green : verdict === 'worse' ? colours.red : colours.yellow;
  const lines = wrap(headline, columns).map((line) => dress(colours.bold(line)));
  return [...lines, ...wrap(evidence, columns)].join('\n');
}

/** Any table, ruled by lines and spaces only, so that it can be pasted anywhere. */
export function renderTable(table: Table, { columns, colour }: TerminalOptions): string {
  const colours = picocolors.createColors(colour);
  let shown = table;
  let text = draw(shown, colours);
  for (const label of dispensable) {
    if (widthOf(shown) <= columns) break;
    shown = withoutColumn(shown, label);
    text = draw(shown, colours);
  }
  return text;
}

function draw({ columns, rows }: Table, colours: Colours): string {
  const none = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const table = new CliTable({
    head: columns.map(({ label }) => colours.bold(headLines(label).join('\n'))),
    colAligns: columns.map(({ align }) => align),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
    chars: {
      ...none,
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      right: '',
      'right-mid': '',
      mid: '─',
      'mid-mid': '──',
      middle: '  ',
    },
  });
  table.push(...rows.map((row) => row.cells.map((cell) => dressRow(row, colours)(cell))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function dressRow({ emphasis, tone }: Row, colours: Colours): (text: string) => string {
  if (tone === 'good') return (text) => colours.green(colours.bold(text));
  if (tone === 'bad') return (text) => colours.red(colours.bold(text));
  if (emphasis === 'strong') return colours.bold;
  return emphasis === 'muted' ? colours.dim : String;
}

/** Names of variants are long and of hyphenated words: break them there rather than widen the column. */
function headLines(label: string): string[] {
  const parts = label.split(/(?<=-)|(?<= )/);
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    if (last !== undefined && (last + part).trimEnd().length <= 12) lines[lines.length - 1] = last + part;
    else lines.push(part);
  }
  return lines.map((line) => line.trimEnd());
}

function widthOf({ columns, rows }: Table): number {
  const widths = columns.map(({ label }, index) =>
    Math.max(...headLines(label).map(({ length }) => length), ...rows.map(({ cells }) => cells[index]?.length ?? 0)),
  );
  return widths.reduce((sum, width) => sum + width, 0) + 2 * (columns.length - 1);
}

function withoutColumn(table: Table, label: string): Table {
  const index = table.columns.findIndex((column) => column.label === label);
  if (index === -1) return table;
  return {
    ...table,
    columns: table.columns.toSpliced(index, 1),
    rows: table.rows.map((row) => ({ ...row, cells: row.cells.toSpliced(index, 1) })),
  };
}
