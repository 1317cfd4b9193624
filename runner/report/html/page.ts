import type { SeriesSource } from '../../storage/series.ts';
import { html, type Markup, trusted } from '../media/markup.ts';
import { sections } from '../sections/registry.ts';
import { drawnIn } from '../sections/section.ts';
import { firstScreen } from '../first-screen/model.ts';
import { blockMarkup } from './blocks.ts';
import { contentPolicy } from './content-policy.ts';
import { firstScreenMarkup, placesOnPage } from './first-screen.ts';
import { firstScreenStyles } from './first-screen-styles.ts';
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
  const { name } = result.experiment;
  const screen = firstScreen(of);
  const places = placesOnPage(screen);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${contentPolicy(pageScript)}" />
        <meta name="generator" content="pgduet ${result.toolVersion}" />
        <title>${name}: ${screen.answer.headline}</title>
        <style>
          ${trusted(pageStyles)}
        </style>
      </head>
      <body>
        <header class="top">
          <p>pgduet <span>${name}</span> <span class="date">${result.startedAt.slice(0, 10)}</span></p>
          <nav aria-label="On this page">${places.map((place) => html`<a href="#${place.id}">${place.name}</a> `)}</nav>
        </header>
        <main>
          ${firstScreenMarkup(screen)}
          <section id="details" aria-labelledby="details-title">
            <h2 id="details-title">Details</h2>
            ${await detailsOf(of, series)}
          </section>
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

const pageStyles = [styles, tableStyles, firstScreenStyles, ...sections.map((section) => section.styles ?? '')].join(
  '',
);

/** Everything else, in closed rows. */
async function detailsOf(of: Reported, series: SeriesSource): Promise<Markup[]> {
  const { result } = of;
  const linked = linksFor(result);
  const rows: Markup[] = [];
  for (const { id: sectionId, drawn, isOpen } of drawnIn('page', sections, of)) {
    for (const [index, block] of drawn.entries()) {
      const id = drawn.length === 1 ? sectionId : `${sectionId}-${index + 1}`;
      rows.push(await blockMarkup(block, { result, series, linked, id, isOpen: isOpen?.(of) ?? false }));
    }
  }
  return rows;
}
