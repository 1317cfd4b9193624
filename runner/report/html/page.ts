import type { Result } from '../../contract/result.ts';
import type { SeriesSource } from '../../storage/series.ts';
import type { Figure } from '../charts/figure.ts';
import { type Chart, chartSubjects } from '../charts/subject.ts';
import { sections } from '../sections/registry.ts';
import { type Block, blocksFor, type Part, reported } from '../sections/section.ts';
import { figureMarkup, keyMarkup } from './figure-markup.ts';
import { html, type Markup, nothing, trusted } from './markup.ts';
import { styles } from './styles.ts';
import { tableMarkup } from './table-markup.ts';

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
          The raw output of every trial and all numbers unrounded are beside this file, in trials/, result.json and
          pairs.csv.
        </footer>
      </body>
    </html> `;
  return page.text;
}

/** The pictures of a block, by part. A block whose pictures nothing was measured for has none. */
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

/** @param label id of the heading that names it; of its own if it brings one */
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
