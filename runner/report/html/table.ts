import { html, type Markup, nothing } from '../media/markup.ts';
import { type Linked, trialFolder } from './links.ts';
import { groupsOf, type Row, type Table } from '../media/table.ts';

/**
 * A table. On a phone, each row is a card (table-styles.ts). If it is wider than its place, it scrolls sideways by itself,
 * also by keyboard. With the page's script, it can be sorted and copied (in-browser/tables.ts).
 *
 * @param of.id id of the heading that names it
 */
export function tableMarkup(
  table: Table,
  of: { id: string; layout?: 'figures' | 'texts' | undefined; linked: Linked },
): Markup {
  const { id, layout = 'figures', linked } = of;
  const { columns, rows, notes, onlyDiffering } = table;
  const head = columns.map(({ label, align, isMixed }) =>
    // A head without words would be read out as one.
    label === ''
      ? html`<td></td>`
      : html`<th scope="col" class="${align}${isMixed ? ' mixed' : ''}">${breakable(label)}</th>`,
  );
  const bodies = groupsOf(rows).map(
    ({ group, rows: own }) =>
      html`<tbody>
        ${
          group === undefined
            ? nothing
            : html`<tr class="group">
                <th scope="rowgroup" colspan="${columns.length}">${group}</th>
              </tr>`
        }
        ${own.map((row) => rowMarkup(row, table, linked))}
      </tbody>`,
  );
  const only = onlyDiffering === undefined ? nothing : html`data-only="${onlyDiffering}"`;
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
      <table class="${layout}" aria-labelledby="${id}" ${only}>
        <thead>
          <tr>
            ${head}
          </tr>
        </thead>
        ${bodies}
      </table>
    </div>
    ${notes.length > 0 ? html`<p class="notes">${linked(notes.join(' '))}</p>` : nothing}`;
}

function rowMarkup(row: Row, { columns }: Table, linked: Linked): Markup {
  const { cells, emphasis, tone, differs } = row;
  const parts = cells.map((text, index) => {
    const { label = '', align = 'left' } = columns[index] ?? {};
    const value = row.more?.[index]?.value ?? (align === 'right' ? numberIn(text) : null);
    const known = html`data-label="${label}"${value === null ? nothing : html` data-value="${value}"`}`;
    const content = cellMarkup(row, index, linked);
    return index === 0
      ? html`<th scope="row" class="${align}" ${known}>${content}</th>`
      : html`<td class="${align}" ${known}>${content}</td>`;
  });
  const name = [emphasis, tone].filter((one) => one !== undefined).join(' ');
  return html`<tr class="${name}" ${differs === undefined ? nothing : html`data-differs="${String(differs)}"`}>
    ${parts}
  </tr>`;
}

function cellMarkup({ cells, more }: Row, index: number, linked: Linked): Markup {
  const text = cells[index] ?? '';
  const { whole, trial } = more?.[index] ?? {};
  if (trial !== undefined) {
    return html`<a href="${trialFolder(trial)}" title="raw files of ${trial}">${text}</a>`;
  }
  if (whole === undefined) return linked(text);
  return html`<details>
    <summary>${text}</summary>
    <p>${whole}</p>
  </details>`;
}

/** The number that a text begins with, such as 1064 of `1,064` and -3.5 of `−3.5%`; null if there is none. */
export function numberIn(text: string): number | null {
  const [digits] = /^[+−-]?\$?[\d,]+(\.\d+)?/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits.replace(/[+$,]/g, '').replace('−', '-'));
}

/** Lets a browser break long names of variants after their hyphens, but never inside a word. */
function breakable(label: string): Markup[] {
  return label.split(/(?<=-)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr />${part}`));
}
