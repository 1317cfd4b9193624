import type { CpuTakers } from '../first-screen/cpu-takers.ts';
import type { Settle } from '../first-screen/settle.ts';
import { inDigits } from '../../contract/format.ts';
import { html, type Markup, nothing } from '../media/markup.ts';

/** What would settle what a run left open. */
export function settleMarkup({ counted, rows, note }: Settle): Markup {
  const has = (of: (row: Settle['rows'][number]) => string): boolean => rows.some((row) => of(row) !== '');
  const [hasWho, hasChance, hasTime] = [has(({ who }) => who), has(({ chance }) => chance), has(({ time }) => time)];
  const head = html`<thead>
    <tr>
      ${hasWho ? html`<td></td>` : nothing}
      <th scope="col" class="${hasWho ? 'number' : ''}">${counted}</th>
      ${hasChance ? html`<th scope="col" class="number">chance of a verdict</th>` : nothing}
      ${hasTime ? html`<th scope="col" class="number">time</th>` : nothing}
    </tr>
  </thead>`;
  return html`<section id="settle" aria-labelledby="settle-title">
    <h2 id="settle-title">What would settle it</h2>
    ${
      rows.length === 0
        ? nothing
        : html`<table>
            ${head}
            <tbody>
              ${rows.map(
                ({ who, blocks, chance, time }) =>
                  html`<tr>
                    <th scope="row">${hasWho ? who : inDigits(blocks)}</th>
                    ${hasWho ? html`<td class="number">${inDigits(blocks)}</td>` : nothing}
                    ${hasChance ? html`<td class="number">${chance}</td>` : nothing}
                    ${hasTime ? html`<td class="number">${time}</td>` : nothing}
                  </tr>`,
              )}
            </tbody>
          </table>`
    }
    ${note === '' ? nothing : html`<p class="foot">${note}</p>`}
  </section>`;
}

/** What else used the CPUs, against what would pass. */
export function takersMarkup({ rows, limit }: CpuTakers): Markup {
  const longest = Math.max(...rows.map((row) => row.percent));
  return html`<section id="takers" aria-labelledby="takers-title">
    <h2 id="takers-title">
      What else used the CPUs
      <span class="note">in %${limit === null ? '' : `; up to ${limit} in all would pass`}</span>
    </h2>
    <table class="parts slim">
      <tbody>
        ${rows.map(
          ({ name, percent }) =>
            html`<tr>
              <th scope="row">${name}</th>
              <td class="bars">
                <svg aria-hidden="true" focusable="false">
                  <rect class="bar-after" x="1" y="4" width="${((percent / longest) * 99).toFixed(2)}%" height="10" />
                </svg>
              </td>
              <td class="number">${percent}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}
