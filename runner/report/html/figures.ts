import type { Result } from '../../contract/result.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { drawAll } from '../charts/draw-all.ts';
import { keyOf } from '../charts/key.ts';
import { type Drawn, drawOnce, type Figure } from '../charts/render.ts';
import { html, type Markup, nothing, trusted } from '../media/markup.ts';
import type { Block, Part } from '../sections/section.ts';

/**
 * The pictures of a block, by part. A block has none if nothing was measured for them.
 *
 * @param how.widths at which they are drawn; the narrow one is also for a phone
 */
export async function pictures(
  block: Block,
  result: Result,
  series: SeriesSource,
  { widths, drawn }: { widths: readonly Width[]; drawn: Drawn },
): Promise<Map<Part, Markup[]>> {
  const found = new Map<Part, Markup[]>();
  for (const part of block.parts) {
    if (part.kind === 'from-series') found.set(part, await part.figures(result, series));
    if (part.kind !== 'pictures') continue;
    const figures = 'figures' in part ? part.figures : await drawAll(part.charts, result, series);
    const markups = figures.map((figure, index) =>
      figureMarkup(figure, {
        id: `${part.id}-${index + 1}`,
        key: figure.namesVariants === 'always' ? nothing : keyMarkup(result, figure.namesVariants === 'never'),
        heading: block.title === undefined ? 'h2' : 'h3',
        isFolded: index >= (part.open ?? Infinity),
        widths,
        drawn,
      }),
    );
    found.set(part, markups);
  }
  return found;
}

/** Widths of a picture: that of the page, of half of it, and of a phone and the card's right column. */
const pixels = { page: 880, half: 540, narrow: 354 };
export type Width = keyof typeof pixels;

/**
 * A figure in two widths; the page shows one of them. If a chart were scaled down to the width of a phone, its text could
 * not be read.
 */
function figureMarkup(
  figure: Figure,
  of: { id: string; key: Markup; heading: 'h2' | 'h3'; isFolded: boolean; widths: readonly Width[]; drawn: Drawn },
): Markup {
  const { title, caption, alternative } = figure;
  const charts = of.widths.map((name) => {
    const narrow = name === 'narrow';
    return html`<div class="${of.widths.length === 1 ? 'only' : narrow ? 'narrow' : 'wide'}">
      ${trusted(drawOnce(figure, { id: of.id, width: pixels[name], narrow }, of.drawn))}
    </div>`;
  });
  const id = `figure-${of.id}`;
  const heading = of.heading === 'h2' ? html`<h2 id="${id}">${title}</h2>` : html`<h3 id="${id}">${title}</h3>`;
  const markup = html`<figure aria-labelledby="${id}">
    <figcaption>
      ${of.isFolded ? nothing : heading}
      <p>${caption}</p>
    </figcaption>
    ${of.key}
    <div class="chart" role="img" aria-label="${title}. ${alternative}">${charts}</div>
  </figure>`;
  return of.isFolded
    ? html`<details class="picture">
        <summary>${heading}</summary>
        <div>${markup}</div>
      </details>`
    : markup;
}

/** On a wide page, only charts without room for names need the key. */
function keyMarkup(result: Result, always: boolean): Markup {
  const entries = keyOf(result).map(
    ({ name, colour, shape }) =>
      html`<li><svg viewBox="0 0 12 12" fill="${colour}" aria-hidden="true">${trusted(shape)}</svg>${name}</li>`,
  );
  return html`<ul class="${always ? 'key always' : 'key'}">
    ${entries}
  </ul>`;
}
