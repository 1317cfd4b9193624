import { html, type Markup, nothing } from '../media/markup.ts';
import { type Block, type Depth, summaryOf, type Part } from '../sections/section.ts';
import type { Linked } from './links.ts';
import { tableMarkup } from './table.ts';

type Pictures = Extract<Part, { kind: 'pictures' | 'from-series' }>;

/** @param of.id anchor of the block, unique on the page */
export function blockMarkup(
  block: Block,
  of: { id: string; depth: Depth; pictures: Map<Part, Markup[]>; linked: Linked },
): Markup {
  const { id, depth, pictures, linked } = of;
  const { title, isWarning, parts } = block;
  // A table has the name of the heading above it.
  let label = depth === 'folded' ? `${id}-title` : id;
  const content = parts.flatMap((part, index) => {
    if (namesItself(part)) label = `${id}-${index + 1}`;
    return part.kind === 'pictures' || part.kind === 'from-series'
      ? (pictures.get(part) ?? [])
      : [partMarkup(part, label, linked)];
  });
  if (content.length === 0) return nothing;
  if (title === undefined) return html`<div id="${id}">${content}</div>`;
  if (depth === 'folded') {
    // The anchor is inside, so that a link to it opens the block without a script, too.
    return html`<details>
      <summary>
        <h2 id="${id}-title">${title}</h2>
        <span class="holds">${summaryOf(block)}</span>
      </summary>
      <div id="${id}">${content}</div>
    </details>`;
  }
  const heading = html`<h2 id="${id}">${title}</h2>`;
  return isWarning
    ? html`<aside class="attention" aria-labelledby="${id}">${heading}${content}</aside>`
    : html`<section aria-labelledby="${id}">${heading}${content}</section>`;
}

function namesItself(part: Part): boolean {
  return part.kind === 'table' && part.heading !== undefined;
}

/** @param label id of the heading or line that names it: its own if it has one */
function partMarkup(part: Exclude<Part, Pictures>, label: string, linked: Linked): Markup {
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
