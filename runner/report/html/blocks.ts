import type { Result } from '../../contract/result.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { keyOf } from '../charts/figure.ts';
import { html, type Markup, nothing, trusted } from '../media/markup.ts';
import { type SectionBlock, summaryOf, type Part } from '../sections/section.ts';
import { figuresMarkup } from './figures.ts';
import type { Linked } from './links.ts';
import { tableMarkup } from './table.ts';

/** What all blocks of a page share. */
export interface PageOf {
  result: Result;
  series: SeriesSource;
  linked: Linked;
}

/**
 * A row of the details.
 *
 * @param of.id anchor of the block, unique on the page
 */
export async function blockMarkup(block: SectionBlock, of: PageOf & { id: string; isOpen: boolean }): Promise<Markup> {
  const { id, isOpen, result, series, linked } = of;
  const { title, parts } = block;
  const look = { key: keyOf(result) };
  // A table has the name of the heading above it.
  let label = `${id}-title`;
  const content: Markup[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'table' && part.heading !== undefined) label = `${id}-${index + 1}`;
    if (part.kind === 'pictures') content.push(...figuresMarkup(part, look));
    else if (part.kind === 'from-series') content.push(...(await part.figures(result, series)));
    else content.push(partMarkup(part, label, linked));
  }
  if (content.length === 0) return nothing;
  if (title === undefined) return html`<div id="${id}">${content}</div>`;
  // The anchor is inside, so that a link to it opens the block without a script, too.
  return html`<details ${isOpen ? trusted('open') : nothing}>
    <summary>
      <h2 id="${id}-title">${title}</h2>
      <span class="holds">${summaryOf(block)}</span>
    </summary>
    <div id="${id}">${content}</div>
  </details>`;
}

/** @param label id of the heading or line that names it: its own if it has one */
function partMarkup(part: Exclude<Part, { kind: 'pictures' | 'from-series' }>, label: string, linked: Linked): Markup {
  switch (part.kind) {
    case 'paragraph':
      return html`<p class="${part.isQuiet ? 'notes' : 'text'}">${part.lead ?? ''}${linked(part.text)}</p>`;
    case 'list':
      return html`<ul>
        ${part.items.map((item) => html`<li>${linked(item)}</li>`)}
      </ul>`;
    case 'terms':
      return html`<dl>
        ${part.terms.map(
          ([term, words]) =>
            html`<dt>${term}</dt>
              <dd>${linked(words)}</dd>`,
        )}
      </dl>`;
    case 'table': {
      const table = tableMarkup(part.table, { id: label, layout: part.layout, linked });
      return part.heading === undefined
        ? table
        : html`<h3 id="${label}">${part.heading}</h3>
            ${table}`;
    }
    case 'own':
      return part.page();
  }
}
