import type { SeriesSource } from '../../storage/series.ts';
import { html, type Markup, nothing, trusted } from '../media/markup.ts';
import { sections } from '../sections/registry.ts';
import { type Depth, drawnIn } from '../sections/section.ts';
import { blockMarkup } from './blocks.ts';
import { contentPolicy } from './content-policy.ts';
import { linksFor } from './links.ts';
import { pageScript } from './page-script.ts';
import { styles } from './styles.ts';
import { tableStyles } from './table-styles.ts';
import type { Reported } from '../reported.ts';

/**
 * Makes report.html: one file for screen, phone and paper. It asks nothing of the network; without its script, everything
 * is still there.
 */
export async function renderPage(of: Reported, series: SeriesSource): Promise<string> {
  const { result } = of;
  const { name, question } = result.experiment;
  const { card, aside, open, folded, contents } = await sectionsOf(of, series);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy(pageScript)}" />
        <meta name="generator" content="pgduet ${result.toolVersion}" />
        <title>${name}: ${of.lead.headline}</title>
        <style>
          ${trusted([styles, tableStyles, ...sections.map((section) => section.styles ?? '')].join(''))}
        </style>
      </head>
      <body>
        <header class="top">
          <div>
            <p class="origin">pgduet · ${name} · ${result.startedAt.slice(0, 10)}</p>
            <nav aria-label="Contents">${contents.map(({ id, name }) => html`<a href="#${id}">${name}</a> `)}</nav>
          </div>
        </header>
        <main>
          <div class="card">
            <h1>${question}</h1>
            <div class="first">${card}</div>
            <div class="second">${aside}</div>
          </div>
          <div class="open">${open}</div>
          ${folded.length > 0 ? html`<div class="appendix">${folded}</div>` : nothing}
        </main>
        <footer>
          The raw output of every trial and all unrounded numbers are beside this file, in
          <a href="trials/">trials/</a>, <a href="result.json">result.json</a> and <a href="pairs.csv">pairs.csv</a>.
        </footer>
        ${trusted(`<script>${pageScript}</script>`)}
      </body>
    </html> `;
  return page.text;
}

type Sections = Record<Depth, Markup[]> & { contents: { id: string; name: string }[] };

/** All sections by where they stand, and the contents in their order on the page. */
async function sectionsOf(of: Reported, series: SeriesSource): Promise<Sections> {
  const { result } = of;
  const linked = linksFor(result);
  const found: Sections = { card: [], aside: [], open: [], folded: [], contents: [] };
  for (const { id: sectionId, depth, drawn, navLabel, ...section } of drawnIn('page', sections, of)) {
    const widths = depth === 'aside' ? (['narrow'] as const) : ([section.isHalf ? 'half' : 'page', 'narrow'] as const);
    const own: Markup[] = [];
    for (const [index, block] of drawn.entries()) {
      const id = drawn.length === 1 ? sectionId : `${sectionId}-${index + 1}`;
      const markup = await blockMarkup(block, { result, series, linked, id, depth, widths });
      if (markup === nothing) continue;
      own.push(markup);
      if (index === 0 && navLabel !== undefined) found.contents.push({ id, name: navLabel });
    }
    const isHalf = section.isHalf && depth === 'open' && own.length > 0;
    found[depth].push(...(isHalf ? [html`<div class="half">${own}</div>`] : own));
  }
  return found;
}
