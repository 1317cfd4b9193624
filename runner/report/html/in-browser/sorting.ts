import { button } from './made.ts';

type Direction = 'ascending' | 'descending';

/** The rows of a table or of one of its groups, without its head and the names of groups. */
export function linesOf(table: HTMLElement): HTMLTableRowElement[] {
  return [...table.querySelectorAll<HTMLTableRowElement>('tbody tr:not(.group), :scope > tr:not(.group)')];
}

/** Turns the heads of a table into buttons that sort its rows: numbers from the largest, texts from A, then the other way, then as before. */
export function makeSortable(table: HTMLTableElement): void {
  const before = new Map(linesOf(table).map((row, index) => [row, index]));
  const heads = [...table.querySelectorAll<HTMLTableCellElement>('thead th')].filter(
    (head) => !head.classList.contains('mixed'),
  );
  for (const head of heads) {
    const sort = (): void => {
      const column = head.cellIndex;
      const first: Direction = isOfNumbers(table, column) ? 'descending' : 'ascending';
      const now = head.ariaSort;
      const next = now === null ? first : now === first ? opposite(first) : null;
      for (const one of heads) one.ariaSort = one === head ? next : null;
      sortRows(table, next === null ? (a, b) => (before.get(a) ?? 0) - (before.get(b) ?? 0) : byColumn(column, next));
    };
    head.append(button(sort, ...head.childNodes));
  }
}

function opposite(direction: Direction): Direction {
  return direction === 'ascending' ? 'descending' : 'ascending';
}

function isOfNumbers(table: HTMLTableElement, column: number): boolean {
  return linesOf(table).some((row) => row.cells[column]?.dataset['value'] !== undefined);
}

/** Rows stay in their group, below its name. */
function sortRows(table: HTMLTableElement, order: (a: HTMLTableRowElement, b: HTMLTableRowElement) => number): void {
  for (const body of table.tBodies) body.append(...linesOf(body).sort(order));
}

/** What has no value, or no text, stands last in both directions. */
function byColumn(column: number, direction: Direction): (a: HTMLTableRowElement, b: HTMLTableRowElement) => number {
  const sign = direction === 'ascending' ? 1 : -1;
  return (a, b) => {
    const [one, other] = [a, b].map((row) => row.cells[column]);
    const [x, y] = [one?.dataset['value'], other?.dataset['value']];
    if (x !== undefined && y !== undefined) return sign * (Number(x) - Number(y));
    if (x !== undefined || y !== undefined) return x === undefined ? 1 : -1;
    const [s, t] = [one?.textContent.trim() ?? '', other?.textContent.trim() ?? ''];
    if (s === '' || t === '') return Number(s === '') - Number(t === '');
    return sign * s.localeCompare(t, 'en', { numeric: true });
  };
}
