import { html, type Markup, nothing } from '../media/markup.ts';
import type { Row, Table } from '../view/table.ts';

/** A table that scrolls sideways if the page is too narrow, also by keyboard. Its name is the heading with the id `id`. */
export function tableMarkup(table: Table, id: string, layout: 'figures' | 'texts' = 'figures'): Markup {
  const { columns, rows, notes } = table;
  const head = columns.map(({ label, align }) => html`<th scope="col" class="${align}">${breakable(label)}</th>`);
  return html`<div class="scroll" role="region" aria-labelledby="${id}" tabindex="0">
      <table class="${layout}" aria-labelledby="${id}">
        <thead>
          <tr>
            ${head}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => rowMarkup(row, table))}
        </tbody>
      </table>
    </div>
    ${notes.length > 0 ? html`<p class="notes">${notes.join(' ')}</p>` : nothing}`;
}

function rowMarkup({ cells, emphasis, tone }: Row, { columns }: Table): Markup {
  const parts = cells.map((cell, index) => {
    const column = columns[index];
    if (index === 0) return html`<th scope="row" class="${column?.align ?? 'left'}">${cell}</th>`;
    const words = cell.length > 40 ? ' words' : '';
    return html`<td class="${column?.align ?? 'left'}${words}">${cell}</td>`;
  });
  return html`<tr class="${[emphasis, tone].filter((name) => name !== undefined).join(' ')}">
    ${parts}
  </tr>`;
}

/** Lets a browser break long names of variants after their hyphens, but never inside a word. */
function breakable(label: string): Markup[] {
  return label.split(/(?<=-)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr />${part}`));
}
