import { withNoun } from '../../contract/format.ts';
import { nameWords } from '../answer/change-words.ts';
import { type FirstScreen, maxDoubts, scopeOf } from '../first-screen/model.ts';
import type { OtherChange, OtherChanges } from '../first-screen/other-changes.ts';
import type { PriceRow } from '../first-screen/price.ts';
import type { TimeRow, TimeRows } from '../first-screen/time-rows.ts';
import { html, type Markup, nothing } from '../media/markup.ts';
import { changeMarkup } from './change-plot.ts';
import { loadLinesMarkup } from './load-lines.ts';
import { tradeOffsMarkup } from './trade-offs.ts';
import { settleMarkup, takersMarkup } from './without-answer.ts';

/** The first screen of the page: the answer over its whole width, and below it two columns. */
export function firstScreenMarkup(screen: FirstScreen): Markup {
  const { question, answer, differs, change, loads, others, tradeOffs, price, time, takers, settle } = screen;
  const scope = scopeOf(screen);
  const elseMarkup = tradeOffs ? tradeOffsMarkup(tradeOffs) : othersMarkup(others);
  const isBare = !change && !settle && !time && elseMarkup === nothing;
  return html`<section id="answer" class="answer">
      <p class="question">${question}</p>
      <h1>${headlinePieces(answer, namesIn(screen))}</h1>
      ${answer.lead === '' ? nothing : html`<p class="lead">${answer.lead}</p>`}
      ${
        differs.length === 0
          ? nothing
          : html`<dl class="differs">
              ${differs.map(
                ({ variant, words }) =>
                  html`<div>
                    <dt>${variant}</dt>
                    <dd>${words}</dd>
                  </div>`,
              )}
            </dl>`
      }
      ${scope === '' ? nothing : html`<p class="scope">${scope}</p>`}
    </section>
    <div class="grid${isBare ? ' bare' : ''}">
      <div>
        ${change ? changeMarkup(change) : nothing}${takers ? takersMarkup(takers) : nothing}${settle ? settleMarkup(settle) : nothing}
        ${loads ? loadLinesMarkup(loads) : elseMarkup}${time ? timeMarkup(time) : nothing}
      </div>
      <aside aria-label="Price, caveats and what next">
        ${priceMarkup(price)}${doubtsMarkup(screen)}${loads ? elseMarkup : nothing}${nextMarkup(screen)}
      </aside>
    </div>`;
}

/** Where a reader may go, by the parts that there are. */
export function placesOnPage({
  time,
  takers,
  settle,
  doubts,
  checks,
  next,
}: FirstScreen): { id: string; name: string }[] {
  return [
    { id: 'answer', name: 'Answer' },
    ...(time ? [{ id: 'parts', name: 'Why' }] : takers ? [{ id: 'takers', name: 'Why' }] : []),
    ...(settle ? [{ id: 'settle', name: 'Settle it' }] : []),
    ...(doubts.length > 0 || checks.made !== '' ? [{ id: 'rely', name: 'Caveats' }] : []),
    ...(next ? [{ id: 'next', name: 'Next' }] : []),
    { id: 'details', name: 'Details' },
  ];
}

/** Names of the variants as a headline may have them, as far as they fit on a line of a phone. */
function namesIn({ change }: FirstScreen): string[] {
  const { sides = null, rows = [], baseline = null } = change ?? {};
  const first = baseline === null || baseline === 'column' ? [] : [baseline.variant];
  const all = [...(sides ? [sides.before, sides.after] : rows.map(({ name }) => name)), ...first];
  return all.filter((name) => name.length <= maxNameOfPhone).map(nameWords);
}

const maxNameOfPhone = 24;

/** The headline, with verdicts in their colour, the range in normal weight, and names that do not break at their hyphens. */
function headlinePieces(
  { headline, claims = [], range = '' }: FirstScreen['answer'],
  names: readonly string[],
): Markup[] {
  const marked = [
    ...claims.map(({ words, verdict }) => ({ words, markup: html`<em class="${verdict}">${words}</em>` })),
    ...(range === '' ? [] : [{ words: range, markup: html`<span class="range">${range}</span>` }]),
    ...names.map((name) => ({ words: name, markup: html`<span class="name">${name}</span>` })),
  ]
    // Names may hold the same words: what a verdict says comes after them.
    .map((one) => ({ ...one, at: headline.lastIndexOf(one.words) }))
    .filter(({ at }) => at >= 0)
    .toSorted((a, b) => a.at - b.at || b.words.length - a.words.length);
  const pieces: Markup[] = [];
  let done = 0;
  for (const { words, markup, at } of marked) {
    if (at < done) continue;
    pieces.push(html`${headline.slice(done, at)}`, markup);
    done = at + words.length;
  }
  return [...pieces, html`${headline.slice(done)}`];
}

function othersMarkup({ better, worse, reads, nothingWorse, more, sides }: OtherChanges): Markup {
  if (better.length + worse.length + reads.length === 0) return nothing;
  const notes = [nothingWorse, more > 0 ? `${withNoun(more, 'more change')} in the details` : ''].filter(
    (note) => note !== '',
  );
  const group = (title: string, rows: readonly OtherChange[]): Markup =>
    rows.length === 0
      ? nothing
      : html`<tbody>
          <tr class="group">
            <th scope="rowgroup" colspan="4">${title}</th>
          </tr>
          ${rows.map(
            ({ who, metric, before, after, change, range }) =>
              html`<tr>
                <th scope="row">${who === '' ? '' : `${who}: `}${metric}</th>
                <td class="number">${before}</td>
                <td class="number after">${after}</td>
                <td class="number">${change} ${inBrackets(range)}</td>
              </tr>`,
          )}
        </tbody>`;
  return html`<section id="others" aria-labelledby="others-title">
    <h2 id="others-title">
      What else changed${notes.length > 0 ? html` <span class="note">${notes.join('; ')}</span>` : nothing}
    </h2>
    <table class="others">
      <thead>
        <tr>
          <td></td>
          <th scope="col" class="number">${sides?.before ?? 'before'}</th>
          <th scope="col" class="number">${sides?.after ?? 'after'}</th>
          <th scope="col" class="number">change</th>
        </tr>
      </thead>
      ${group('Better', better)}${group('Worse', worse)}${group('Per transaction', reads)}
    </table>
  </section>`;
}

function timeMarkup({ unit, level, baseline, candidate, rows, whole }: TimeRows): Markup {
  const bar = (kind: string, length: number, y: number): Markup =>
    html`<rect class="bar-${kind}" x="1" y="${y}" width="${(length * 99).toFixed(2)}%" height="9" />`;
  const row = ({ name, before, after, lengths }: TimeRow): Markup =>
    html`<tr>
      <th scope="row">${name}</th>
      <td class="bars">
        <svg aria-hidden="true" focusable="false">
          ${bar('before', lengths.before, 3)}${bar('after', lengths.after, 13)}
        </svg>
      </td>
      <td class="number">${before} → ${after}</td>
    </tr>`;
  const sign = (kind: string, name: string): Markup =>
    html`<span
      ><svg viewBox="0 0 14 14" aria-hidden="true">
        <rect class="bar-${kind}" x="1" y="3" width="12" height="8" /></svg
      >${name}</span
    >`;
  return html`<section id="parts" aria-labelledby="parts-title">
    <h2 id="parts-title">
      Where transaction time goes
      <span class="note">${[unit, level].filter((text) => text !== '').join(', at ')}</span>
    </h2>
    <p class="signs">${sign('before', baseline)}${sign('after', candidate)}</p>
    <table class="parts">
      <tbody>
        ${rows.map(row)}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">${whole.name}</th>
          <td class="bars"></td>
          <td class="number">${whole.before} → ${whole.after}</td>
        </tr>
      </tfoot>
    </table>
  </section>`;
}

function priceMarkup(rows: readonly PriceRow[]): Markup {
  if (rows.length === 0) return nothing;
  return html`<section id="price" class="box" aria-labelledby="price-title">
    <h2 id="price-title">What it costs</h2>
    <table>
      <tbody>
        ${rows.map(
          ({ what, before, after, change, range }) =>
            html`<tr>
              <th scope="row">
                ${what}${before === '' ? nothing : html`<br /><span class="range">${before} → ${after}</span>`}
              </th>
              <td class="number">${change} ${inBrackets(range)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`;
}

function doubtsMarkup({ doubts, checks }: FirstScreen): Markup {
  if (doubts.length === 0 && checks.made === '') return nothing;
  const more = doubts.length - maxDoubts;
  const moreWords = more > 0 ? html`<a href="#doubts">${more} more</a>. ` : nothing;
  return html`<section id="rely" class="box" aria-labelledby="rely-title">
    <h2 id="rely-title">Caveats</h2>
    <ul>
      ${doubts
        .slice(0, maxDoubts)
        .map(({ mayChange, sentence }) =>
          mayChange === '' ? html`<li>${sentence}</li>` : html`<li><b>${mayChange}</b> ${sentence}</li>`,
        )}
    </ul>
    <p class="foot">
      ${moreWords}${checks.made === '' ? nothing : html`<a href="#checks">${checks.made}</a> ${checks.unchecked}`}
    </p>
  </section>`;
}

function nextMarkup({ next }: FirstScreen): Markup {
  if (!next) return nothing;
  const { words, command } = next;
  return html`<section id="next" class="box" aria-labelledby="next-title">
    <h2 id="next-title">Next</h2>
    <p>${words}.</p>
    ${command === '' ? nothing : html`<pre><code>${wordsOf(command)}</code></pre>`}
  </section>`;
}

/** A longer word of a command breaks where it must. */
const maxUnbroken = 28;

/** A command breaks between its words, not in them. */
function wordsOf(command: string): Markup[] {
  return command.split(' ').map((word, index) => {
    const markup = word.length > maxUnbroken ? html`${word}` : html`<span>${word}</span>`;
    return index === 0 ? markup : html` ${markup}`;
  });
}

function inBrackets(range: string): Markup {
  return range === '' ? nothing : html`<span class="range">(${range})</span>`;
}
