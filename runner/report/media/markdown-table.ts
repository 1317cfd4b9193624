import { escape } from './markdown-text.ts';
import { groupsOf, type Table } from './table.ts';

/** A table and its notes. */
export function tableParagraphs({ columns, rows, notes }: Table): string[] {
  const table = [
    line(columns.map(({ label }) => escape(label))),
    line(columns.map(({ align }) => (align === 'right' ? '--:' : ':--'))),
    ...groupsOf(rows).flatMap(({ group, rows: own }) => [
      ...(group === undefined ? [] : [line(columns.map((_, index) => (index === 0 ? `_${escape(group)}_` : '')))]),
      ...own.map(({ cells, emphasis }) =>
        line(cells.map((cell) => (emphasis === 'strong' && cell !== '' ? `**${escape(cell)}**` : escape(cell)))),
      ),
    ]),
  ];
  return [table.join('\n'), notes.map(escape).join(' ')].filter((part) => part !== '');
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
