import type { ShownTable } from '../shown.ts';

export function shownTables(): ShownTable[] {
  return [...document.querySelectorAll('table')].map((table) => ({
    title: textOf(document.getElementById(table.getAttribute('aria-labelledby') ?? '')),
    place: table.closest('[id]')?.id ?? '',
    columns: [...table.querySelectorAll('thead th, thead td')].map(textOf),
    rows: [...table.querySelectorAll('tbody tr')].map((row) => [...row.querySelectorAll('th, td')].map(textOf)),
  }));
}

function textOf(element: Element | null): string {
  return (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
}
