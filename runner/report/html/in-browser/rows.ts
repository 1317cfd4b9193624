/** The rows of a table or of one of its groups, without its head and the names of groups. */
export function linesOf(table: HTMLElement): HTMLTableRowElement[] {
  return [...table.querySelectorAll<HTMLTableRowElement>('tbody tr:not(.group), :scope > tr:not(.group)')];
}
