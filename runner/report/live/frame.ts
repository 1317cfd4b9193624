import type { RunStatus } from '../../contract/status.ts';
import { conditionsWords } from '../../contract/trial.ts';
import { contentPolicy } from '../html/content-policy.ts';
import { firstScreenStyles } from '../html/first-screen-styles.ts';
import { styles } from '../html/styles.ts';
import { tableMarkup } from '../html/table.ts';
import { tableStyles } from '../html/table-styles.ts';
import { html, nothing, trusted } from '../media/markup.ts';
import { liveScript } from './live-script.ts';
import { barStyles } from './progress-bar.ts';
import { left, right, type Table } from '../media/table.ts';

/** The frame asks nothing but its own server, and nothing may frame it. */
export const framePolicy = contentPolicy(
  liveScript,
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
);

/** The document that the server serves: without content, which its script takes from the server's events. */
export const frame: string = html`<!doctype html>
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>pgduet: live</title>
      <style id="styles">
        ${trusted(styles + tableStyles + firstScreenStyles)}
      </style>
      <style>
        ${trusted(barStyles)}
      </style>
    </head>
    <body>
      <div id="progress"><p>Waiting for the run.</p></div>
      <p id="lost">
        This page has lost its connection to pgduet and shows the last update. If the run continues, reload it.
      </p>
      <div id="page"><noscript>This page shows a run in progress, which needs JavaScript.</noscript></div>
      ${trusted(`<script>${liveScript}</script>`)}
    </body>
  </html> `.text;

/** The page of a run without its figures: which trials have ended. Its parts stand where those of a report will. */
export function trialsPage(
  { experiment, trials }: Pick<RunStatus, 'experiment' | 'trials'>,
  { question, note }: { question: string | null; /** Why there are no figures. */ note: string },
): string {
  const table: Table = {
    title: 'Trials',
    columns: [right('trial'), right('block'), left('variant'), left('state')],
    rows: trials.map(({ number, block, conditions, state }) => ({
      cells: [number === null ? 'repeat' : String(number), String(block), conditionsWords(conditions), state],
    })),
    notes: [],
  };
  const known = { id: 'trials', linked: (text: string) => html`${text}` };
  return html`<main>
    <section class="answer">
      <h1>${question ?? experiment}</h1>
    </section>
    <h2 id="trials">${trials.length === 0 ? 'No trial has finished yet.' : 'Trials so far'}</h2>
    <p class="text">${note}</p>
    ${trials.length === 0 ? nothing : tableMarkup(table, known)}
  </main>`.text;
}
