import type { Result } from '../../contract/result.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { type Figure, renderChart } from '../charts/render.ts';
import { type Chart, chartSubjects, variantLook } from '../charts/subject.ts';
import { sections } from '../sections/registry.ts';
import { type Block, blocksFor, type Part, reported } from '../sections/section.ts';
import { html, type Markup, nothing, trusted } from '../media/markup.ts';
import { styles } from './styles.ts';
import type { Row, Table } from '../view/table.ts';

type Pictures = Extract<Part, { kind: 'pictures' }>;

/** Makes report.html: one file that needs neither network nor script, for screen, phone and paper. */
export async function renderHtml(result: Result, series: SeriesSource): Promise<string> {
  const of = reported(result);
  const { view } = of;
  const drawn: Markup[] = [];
  for (const section of sections) {
    const blocks = blocksFor('page', section, of);
    for (const [index, block] of blocks.entries()) {
      const id = blocks.length === 1 ? section.id : `${section.id}-${index + 1}`;
      drawn.push(blockMarkup(block, id, await pictures(block, result, series)));
    }
  }

  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="generator" content="pgduet ${result.toolVersion}" />
        <title>${view.name}: ${view.answers.map(({ headline }) => headline).join(' ')}</title>
        <style>
          ${trusted([styles, ...sections.map((section) => section.styles ?? '')].join(''))}
        </style>
      </head>
      <body>
        <main>
          <p class="origin">pgduet · experiment ${view.name} · ${result.startedAt.slice(0, 10)}</p>
          <h1>${view.question}</h1>
          ${drawn}
        </main>
        <footer>
          The raw output of every trial and all unrounded numbers are beside this file, in trials/, result.json and
          pairs.csv.
        </footer>
      </body>
    </html> `;
  return page.text;
}

/** The pictures of a block, by part. A block has none if nothing was measured for them. */
async function pictures(block: Block, result: Result, series: SeriesSource): Promise<Map<Part, Markup[]>> {
  const found = new Map<Part, Markup[]>();
  for (const part of block.parts) {
    if (part.kind !== 'pictures') continue;
    const figures = 'figures' in part ? part.figures : await draw(part.charts, result, series);
    const markups = figures.map((figure, index) =>
      figureMarkup(figure, `figure-${part.id}-${index + 1}`, keyMarkup(result, !figure.namesVariants)),
    );
    found.set(part, markups);
  }
  return found;
}

async function draw(charts: readonly Chart[], result: Result, series: SeriesSource): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const subject of chartSubjects(result, series)) {
    for (const chart of charts) figures.push(...[await chart(subject)].filter((figure) => figure !== null));
  }
  return figures;
}

function blockMarkup({ title, isWarning, parts }: Block, id: string, pictures: Map<Part, Markup[]>): Markup {
  // A table has the name of the heading above it.
  let label = id;
  const content = parts.flatMap((part, index) => {
    if (part.kind === 'claim' || (part.kind === 'table' && part.heading !== undefined)) label = `${id}-${index + 1}`;
    return part.kind === 'pictures' ? (pictures.get(part) ?? []) : [partMarkup(part, label)];
  });
  if (content.length === 0) return nothing;
  if (title === undefined) return html`${content}`;
  const heading = html`<h2 id="${id}">${title}</h2>`;
  return isWarning
    ? html`<aside class="attention" aria-labelledby="${id}">${heading}${content}</aside>`
    : html`<section aria-labelledby="${id}">${heading}${content}</section>`;
}

/** @param label id of the heading that names it: its own heading if it has one */
function partMarkup(part: Exclude<Part, Pictures>, label: string): Markup {
  switch (part.kind) {
    case 'claim':
      return html`<h3 id="${label}">${part.headline}</h3>
        <p>${part.evidence}</p>`;
    case 'paragraph':
      return html`<p class="${part.isQuiet ? 'notes' : 'text'}">${part.lead ?? ''}${part.text}</p>`;
    case 'list':
      return html`<ul>
        ${part.items.map((item) => html`<li>${item}</li>`)}
      </ul>`;
    case 'terms':
      return html`<dl>
        ${part.terms.map(
          ([term, words]) =>
            html`<dt>${term}</dt>
              <dd>${words}</dd>`,
        )}
      </dl>`;
    case 'table': {
      const table = tableMarkup(part.table, label, part.layout);
      return part.heading === undefined
        ? table
        : html`<h3 id="${label}">${part.heading}</h3>
            ${table}`;
    }
    case 'own':
      return part.page();
  }
}

const wideWidth = 880;
const narrowWidth = 354;

/**
 * A figure in two widths; the page shows one of them. If a chart were scaled down to the width of a phone, its text could
 * not be read.
 */
function figureMarkup(figure: Figure, id: string, key: Markup): Markup {
  const { title, caption, alternative, height, option } = figure;
  const draw = (width: number, narrow: boolean) => {
    const size = { width, height, narrow };
    return trusted(renderChart(option(size), size));
  };
  return html`<figure aria-labelledby="${id}">
    <figcaption>
      <h3 id="${id}">${title}</h3>
      <p>${caption}</p>
    </figcaption>
    ${key}
    <div class="chart" role="img" aria-label="${title}. ${alternative}">
      <div class="wide">${draw(wideWidth, false)}</div>
      <div class="narrow">${draw(narrowWidth, true)}</div>
    </div>
  </figure>`;
}

/** The key: which colour and shape stands for which variant. On a wide page, only charts without room for names need it. */
function keyMarkup({ variants }: Result, always: boolean): Markup {
  const entries = variants.map(({ name }, index) => {
    const { colour, symbol } = variantLook(index);
    const shape = trusted(shapes[symbol] ?? shapes.circle ?? '');
    return html`<li><svg viewBox="0 0 12 12" fill="${colour}" aria-hidden="true">${shape}</svg>${name}</li>`;
  });
  return html`<ul class="${always ? 'key always' : 'key'}">
    ${entries}
  </ul>`;
}

const shapes: Record<string, string> = {
  circle: '<circle cx="6" cy="6" r="5"/>',
  diamond: '<path d="M6 0l6 6-6 6-6-6z"/>',
  triangle: '<path d="M6 1l6 10H0z"/>',
  rect: '<path d="M1 1h10v10H1z"/>',
  roundRect: '<rect x="1" y="1" width="10" height="10" rx="3"/>',
  arrow: '<path d="M6 0l5 12-5-3-5 3z"/>',
};

/** A table that scrolls sideways if the page is too narrow, also by keyboard. Its name is the heading with the id `id`. */
function tableMarkup(table: Table, id: string, layout: 'figures' | 'texts' = 'figures'): Markup {
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
