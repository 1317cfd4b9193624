import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { renderPage } from '../../../runner/report/html/page.ts';
import { renderMarkdown } from '../../../runner/report/markdown.ts';
import { renderTerminal } from '../../../runner/report/terminal/terminal.ts';
import type { PrintedForm } from './printed-words.ts';
import { reported } from '../../../runner/report/reported.ts';

const readers: Record<PrintedForm, (opened: OpenedResult) => string[][] | Promise<string[][]>> = {
  terminal: ({ result }) =>
    renderTerminal(result, { columns: 400, colour: false })
      .split('\n')
      .map((line) => line.trim().split(/ {2,}/))
      .filter((cells) => cells.length > 2),
  Markdown: ({ result }) =>
    renderMarkdown(result)
      .split('\n')
      .filter((line) => line.startsWith('| '))
      .map((line) => cellsOf(line.replace(/\*\*/g, '').replace(/\\(.)/g, '$1').split('|'))),
  HTML: async ({ result, series }) =>
    [...(await renderPage(reported(result), series)).matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
      cellsOf(
        [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
          cell.replace(/<[^>]*>/g, '').replaceAll('\u00a0', ' '),
        ),
      ),
    ),
};

/** The cells of every table row as a reader sees them. Cells without text are left out. */
export async function printedRows(form: PrintedForm, opened: OpenedResult): Promise<string[][]> {
  return readers[form](opened);
}

function cellsOf(cells: readonly string[]): string[] {
  return cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
}

/** A row with two values and their change. */
export interface RowOfChange {
  row: string;
  /** Whether the change follows from the values, for some numbers that are printed like this. */
  follows: boolean;
}

/**
 * The rows that state a change, each with whether it follows from the two printed values to the last printed digit: of the
 * numbers that round to what is printed, some must have such a change. In the table of all variants the first value stands in the
 * row of the baseline above, or in brackets.
 */
export function rowsOfChange(rows: readonly (readonly string[])[]): RowOfChange[] {
  let baseline: string | undefined;
  let hasChanges = false;
  return rows.flatMap((cells) => {
    if (cells.includes('change')) hasChanges = true;
    // The table of costs has changes of three things, and the values of none. Spreads are no changes.
    if (cells.slice(1).some((cell) => cell === '$ per month' || cell === 'spread')) hasChanges = false;
    if (!hasChanges) return [];
    const place = cells.findIndex((cell) => /^[+−]?[\d,]+(\.\d+)?(%| points)$/.test(cell));
    const named = cells.indexOf('baseline');
    if (named > 0) baseline = cells[named - 1];
    const [before = '', after = '', change = ''] = cells.slice(Math.max(0, place - 2), place + 1);
    const [, candidate = '', bracketed] = /^(\S+)(?: \(baseline (\S+)\))?$/.exec(after) ?? [];
    const first = isNumber(before) && place > 2 ? before : (bracketed ?? baseline);
    if (place < 2 || first === undefined || !isNumber(candidate)) return [];
    return [{ row: cells.slice(0, place + 1).join(' | '), follows: follows(first, candidate, change) }];
  });
}

function isNumber(text: string): boolean {
  return /^−?[\d,]+(\.\d+)?$/.test(text);
}

function follows(before: string, after: string, change: string): boolean {
  const [a, b, c] = [rounded(before), rounded(after), rounded(change.replace(/[ %].*/, ''))];
  const all = a.flatMap((one) => b.map((other) => (change.endsWith('points') ? other - one : (other / one - 1) * 100)));
  const slack = 1e-9;
  return Math.min(...all) <= Math.max(...c) + slack && Math.max(...all) >= Math.min(...c) - slack;
}

/** The least and the greatest number that are printed like this. */
function rounded(text: string): [number, number] {
  const plain = text.replace(/[,+]/g, '').replace('−', '-');
  const half = 0.5 / 10 ** (plain.split('.')[1]?.length ?? 0);
  const value = Number(plain);
  return [value < half && value >= 0 ? 0 : value - half, value + half];
}
