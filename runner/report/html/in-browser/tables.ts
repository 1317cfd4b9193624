import { asCsv, asMarkdown, type ShownTable } from './copied-text.ts';
import { button, made } from './made.ts';
import { linesOf, makeSortable } from './sorting.ts';

/** A shorter table is read at a glance. */
const minRows = 3;

/** Tables can be sorted, reduced to what differs, and copied. Those of the first screen stay as they are. */
export function equipTables(): void {
  for (const table of document.querySelectorAll('table')) {
    const place = table.closest<HTMLElement>('.scroll');
    if (place) stopOnlyToScroll(place);
    if (!place || linesOf(table).length < minRows) continue;
    makeSortable(table);
    place.before(toolsOf(table));
  }
}

/** The keyboard stops at a table only if there is something to scroll. */
function stopOnlyToScroll(place: HTMLElement): void {
  const set = (): void => {
    const scrolls = place.scrollWidth > place.clientWidth + 1;
    place.tabIndex = scrolls ? 0 : -1;
    if (scrolls) place.setAttribute('role', 'region');
    else {
      place.removeAttribute('role');
      place.removeAttribute('tabindex');
    }
  };
  // Also when a folded section is opened.
  new ResizeObserver(set).observe(place);
}

function toolsOf(table: HTMLTableElement): HTMLElement {
  const statusLine = made('span', { role: 'status' });
  const tools = made('div', { className: 'tools' }, statusLine, ...onlyDiffering(table));
  const copy = (as: (shown: ShownTable) => string) => (): void => {
    void copyText(as(shownIn(table)), tools).then((words) => {
      statusLine.textContent = words;
    });
  };
  tools.append(button(copy(asMarkdown), 'Copy as Markdown'), button(copy(asCsv), 'Copy as CSV'));
  return tools;
}

/** A switch between all rows and those that differ, if the table has both. */
function onlyDiffering(table: HTMLTableElement): HTMLButtonElement[] {
  const name = table.dataset['only'];
  const others = linesOf(table).filter((row) => row.dataset['differs'] !== 'true');
  if (name === undefined || others.length === 0 || others.length === linesOf(table).length) return [];
  const only = button(() => {
    const isOn = only.ariaPressed !== 'true';
    only.ariaPressed = String(isOn);
    for (const row of others) row.hidden = isOn;
    for (const body of table.tBodies) body.hidden = linesOf(body).every(({ hidden }) => hidden);
  }, name);
  only.ariaPressed = 'false';
  return [only];
}

function shownIn(table: HTMLTableElement): ShownTable {
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  return {
    columns: heads.map((head) => ({
      label: textOf(head),
      align: head.classList.contains('right') ? 'right' : 'left',
    })),
    rows: linesOf(table)
      .filter(({ hidden }) => !hidden)
      .map((row) => [...row.cells].map(textOf)),
  };
}

/** The whole text, also if the cell shows only the beginning. */
function textOf(cell: HTMLTableCellElement): string {
  return (cell.querySelector('details p') ?? cell).textContent.replaceAll('\u00a0', ' ').trim();
}

/** @returns what to say about it */
async function copyText(text: string, tools: HTMLElement): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    tools.querySelector('textarea')?.remove();
    return 'Copied';
  } catch {
    // A page that was opened as a file may be refused the clipboard, or have none.
    tools.querySelector('textarea')?.remove();
    const area = made('textarea', { value: text, readOnly: true, ariaLabel: 'The table, to be copied' });
    tools.append(area);
    area.select();
    return 'Copy the selected text';
  }
}
