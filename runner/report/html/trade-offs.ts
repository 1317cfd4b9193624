import type { TradeOffs } from '../first-screen/trade-offs.ts';
import { withNoun } from '../../contract/format.ts';
import { html, type Markup, nothing } from '../media/markup.ts';

/** What else changed, with a row for each variant. */
export function tradeOffsMarkup({ metrics, rows, baseline, more }: TradeOffs): Markup {
  const notes = [
    `no word: no difference from ${baseline} found`,
    ...(more > 0 ? [`${withNoun(more, 'more change')} in the details`] : []),
  ];
  return html`<section id="others" aria-labelledby="others-title">
    <h2 id="others-title">What else changed <span class="note">${notes.join('; ')}</span></h2>
    <table class="trade-offs">
      <thead>
        <tr>
          <th scope="col">variant</th>
          ${metrics.map((metric) => html`<th scope="col" class="number">${metric}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ({ who, cells }) =>
            html`<tr>
              <th scope="row">${who}</th>
              ${cells.map(
                ({ value, side }) =>
                  html`<td class="number">${value}${side === '' ? nothing : html`, <b>${side}</b>`}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}
