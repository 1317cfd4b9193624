/** A table as a reader sees it: its columns, and the cells of the rows that are shown, in their order. */
export interface ShownTable {
  columns: { label: string; align: 'left' | 'right' }[];
  rows: string[][];
}

export function asMarkdown({ columns, rows }: ShownTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const cell = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\|*_`[\]<>]/g, '\\$&');
  return [
    line(columns.map(({ label }) => cell(label))),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : ':--'))),
    ...rows.map((cells) => line(cells.map(cell))),
  ].join('');
}

/**
 * For spreadsheets. Numbers have no separators of thousands. A text that a spreadsheet would run begins with an
 * apostrophe, as in pairs.csv.
 *
 * @see https://owasp.org/www-community/attacks/CSV_Injection
 */
export function asCsv({ columns, rows }: ShownTable): string {
  return [columns.map(({ label }) => label), ...rows].map((cells) => `${cells.map(csvCell).join(',')}\r\n`).join('');
}

const number = /^[+−-]?[\d,]*\d(\.\d+)?%?$/;
const formula = /^[=+\-@\t\r＝＋－＠]/;

function csvCell(text: string): string {
  if (number.test(text)) return text.replace(/[+,]/g, '').replace('−', '-');
  const harmless = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]|^\s|\s$/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
