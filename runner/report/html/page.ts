import type { Result } from '../../contract/result.ts';
import type { Answer } from '../view/answer.ts';
import type { Table } from '../view/table.ts';
import type { Why } from '../view/why.ts';
import { viewResult } from '../view/view-model.ts';
import type { SeriesSource } from '../../storage/series.ts';
import type { LadderView } from '../view/ladder-view.ts';
import { changeChart } from '../charts/change.ts';
import type { Figure } from '../charts/figure.ts';
import { charts } from '../charts/registry.ts';
import { ladderFigures } from '../charts/ladder.ts';
import { type Chart, chartSubjects } from '../charts/subject.ts';
import { figureMarkup, keyMarkup } from './figure-markup.ts';
import { html, type Markup, nothing, trusted } from './markup.ts';
import { styles } from './styles.ts';
import { tableMarkup } from './table-markup.ts';

/** Makes report.html: one file that needs neither network nor script, for screen, phone and paper. */
export async function renderHtml(result: Result, series: SeriesSource): Promise<string> {
  const view = viewResult(result);
  const date = result.startedAt.slice(0, 10);
  const draw = async (drawn: readonly Chart[]): Promise<Figure[]> => {
    const figures: Figure[] = [];
    for (const subject of chartSubjects(result, series)) {
      for (const chart of drawn) figures.push(...[await chart(subject)].filter((figure) => figure !== null));
    }
    return figures;
  };
  const changes = (await draw([changeChart])).map((figure, index) =>
    figureMarkup(figure, `figure-change-${index + 1}`, nothing),
  );
  const ladderPictures = (result.ladders ?? []).map((ladder, index) =>
    ladderFigures(ladder).map((figure, place) =>
      figureMarkup(figure, `figure-ladder-${index + 1}-${place + 1}`, keyMarkup(result, !figure.namesVariants)),
    ),
  );
  const figures = (await draw(charts)).map((figure, index) =>
    figureMarkup(figure, `figure-${index + 1}`, keyMarkup(result, !figure.namesVariants)),
  );

  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="generator" content="pgduet ${result.toolVersion}" />
        <title>${view.name}: ${view.answers.map(({ headline }) => headline).join(' ')}</title>
        <style>
          ${trusted(styles)}
        </style>
      </head>
      <body>
        <main>
          <header>
            <p class="origin">pgduet · experiment ${view.name} · ${date}</p>
            <h1>${view.question}</h1>
            ${view.answers.map(answerMarkup)} ${view.costs.worth.map((words) => html`<p class="worth">${words}</p>`)}
            ${view.ladders.map((ladder, index) => ladderMarkup(ladder, ladderPictures[index] ?? [], `ladder-${index + 1}`))}
            ${changes}
          </header>
          ${attentionMarkup(view.attention)} ${section(view.variants, 'variants')} ${section(view.costs.table, 'costs')}
          ${view.comparisons.map((table, index) => section(table, `comparison-${index + 1}`))}
          ${view.why.map((why, index) => whyMarkup(why, `why-${index + 1}`))}
          ${
            figures.length > 0
              ? html`<section aria-labelledby="trials-seen">
                  <h2 id="trials-seen">The trials, seen</h2>
                  ${figures}
                </section>`
              : nothing
          }
          ${view.pairs.map((table, index) => section(table, `pairs-${index + 1}`))}
          ${view.evidence.map((table, index) => section(table, `evidence-${index + 1}`, table.title.startsWith('What is not') ? 'texts' : 'figures'))}
          ${section(view.settings, 'settings', 'texts')} ${section(view.steps, 'steps', 'texts')}
          ${section(view.trials, 'trials')} ${section(view.checks, 'checks', 'texts')}
          <section aria-labelledby="method">
            <h2 id="method">How it was measured</h2>
            <dl>
              ${view.protocol.map(
                ([term, words]) =>
                  html`<dt>${term}</dt>
                    <dd>${words}</dd>`,
              )}
            </dl>
          </section>
        </main>
        <footer>
          The raw output of every trial and all numbers unrounded are beside this file, in trials/, result.json and
          pairs.csv.
        </footer>
      </body>
    </html> `;
  return page.text;
}

function answerMarkup({ headline, evidence, verdict }: Answer): Markup {
  return html`<div class="answer ${verdict ?? 'none'}">
    <p class="headline">${headline}</p>
    <p class="evidence">${evidence}</p>
  </div>`;
}

function whyMarkup({ title, summary, time, mechanisms }: Why, id: string): Markup {
  return html`<section>
    <h2 id="${id}">${title}</h2>
    <p>${summary}</p>
    ${
      time.rows.length > 0
        ? html`<h3 id="${id}-time">${time.title}</h3>
            ${tableMarkup(time, `${id}-time`, 'figures')}`
        : nothing
    }
    ${mechanisms.map(
      ({ headline, evidence, chain }, index) => html`
        <h3 id="${id}-${index + 1}">${headline}</h3>
        <p>${evidence}</p>
        ${chain.rows.length > 0 ? tableMarkup(chain, `${id}-${index + 1}`, 'texts') : nothing}
      `,
    )}
  </section>`;
}

function ladderMarkup({ title, sentences, table }: LadderView, pictures: readonly Markup[], id: string): Markup {
  return html`<section>
    <h2 id="${id}">${title}</h2>
    <ul>
      ${sentences.map((sentence) => html`<li>${sentence}</li>`)}
    </ul>
    ${pictures} ${tableMarkup(table, id, 'figures')}
  </section>`;
}

function attentionMarkup(texts: readonly string[]): Markup {
  if (texts.length === 0) return nothing;
  return html`<aside class="attention" aria-labelledby="attention">
    <h2 id="attention">Before you believe it</h2>
    <ul>
      ${texts.map((text) => html`<li>${text}</li>`)}
    </ul>
  </aside>`;
}

function section(table: Table, id: string, layout: 'figures' | 'texts' = 'figures'): Markup {
  if (table.rows.length === 0) return nothing;
  return html`<section>
    <h2 id="${id}">${table.title}</h2>
    ${tableMarkup(table, id, layout)}
  </section>`;
}
