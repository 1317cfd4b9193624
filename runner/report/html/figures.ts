import type { Result } from '../../contract/result.ts';
import type { SeriesSource } from '../../storage/series.ts';
import { type Figure, foldedFigure, inlinePicture, keyEntry, keyOf } from '../charts/figure.ts';
import { html, type Markup, nothing } from '../media/markup.ts';
import type { Block, Part } from '../sections/section.ts';

/** Widths of a picture: that of the page, of half of it, and of a phone and the card's right column. */
const pixels = { page: 880, half: 540, narrow: 354 };
export type Width = keyof typeof pixels;

/**
 * The pictures of a block, by part. A block has none if nothing was measured for them.
 *
 * @param widths at which they are drawn; the narrow one is also for a phone
 */
export async function pictures(
  block: Block,
  result: Result,
  series: SeriesSource,
  widths: readonly Width[],
): Promise<Map<Part, Markup[]>> {
  const found = new Map<Part, Markup[]>();
  for (const part of block.parts) {
    if (part.kind === 'from-series') found.set(part, await part.figures(result, series));
    if (part.kind !== 'pictures') continue;
    const heading = block.title === undefined ? 'h2' : 'h3';
    const markups = part.figures.map((figure, index) =>
      figureMarkup(figure, {
        id: `figure-${part.id}-${index + 1}`,
        key: keyMarkup(result, figure.namesVariants),
        heading,
        isFolded: index >= (part.open ?? Infinity),
        widths,
      }),
    );
    found.set(part, markups);
  }
  return found;
}

/**
 * A figure in two widths; the page shows one of them. If a chart were scaled down to the width of a phone, its text could
 * not be read.
 */
function figureMarkup(
  figure: Figure,
  of: { id: string; key: Markup; heading: 'h2' | 'h3'; isFolded: boolean; widths: readonly Width[] },
): Markup {
  const { title, caption, alternative } = figure;
  const { id, widths } = of;
  const charts = widths.map((width) => {
    const shownAt = widths.length === 1 ? 'only' : width === 'narrow' ? 'narrow' : 'wide';
    return html`<div class="${shownAt}">${inlinePicture(figure, pixels[width])}</div>`;
  });
  const heading = of.heading === 'h2' ? html`<h2 id="${id}">${title}</h2>` : html`<h3 id="${id}">${title}</h3>`;
  const markup = html`<figure aria-labelledby="${id}">
    <figcaption>
      ${of.isFolded ? nothing : heading}
      <p>${caption}</p>
    </figcaption>
    ${of.key}
    <div class="chart" role="img" aria-label="${title}. ${alternative}">${charts}</div>
  </figure>`;
  return of.isFolded ? foldedFigure(heading, markup) : markup;
}

/** On a wide page, only charts without room for names need the key. */
function keyMarkup(result: Result, named: Figure['namesVariants']): Markup {
  if (named === 'always') return nothing;
  return html`<ul class="${named === 'never' ? 'key always' : 'key'}">
    ${keyOf(result).map(keyEntry)}
  </ul>`;
}
