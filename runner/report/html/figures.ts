import { foldedFigure, inlinePicture, type Keyed, keyMarkup, markSign } from '../charts/figure.ts';
import { html, type Markup, nothing } from '../media/markup.ts';
import type { Part } from '../sections/section.ts';

/** Widths of a picture: that of the page, and of a phone. */
const pixels = { wide: 880, narrow: 354 } as const;

/** How the figures of a block are shown. */
export interface FigureLook {
  key: readonly Keyed[];
}

/**
 * Figures in two widths; the page shows one of them. If a chart were scaled down to the width of a phone, its text could
 * not be read.
 */
export function figuresMarkup(
  { figures, id, open = Infinity }: Extract<Part, { kind: 'pictures' }>,
  { key }: FigureLook,
): Markup[] {
  const signs = key.map((one) => ({ name: one.name, sign: markSign(one) }));
  // On a wide page, only charts without room for names need the key.
  const keys = { always: nothing, 'if wide': keyMarkup(signs, 'key'), never: keyMarkup(signs) };
  return figures.map((figure, index) => {
    const { title, caption, alternative } = figure;
    const titleId = `figure-${id}-${index + 1}`;
    const isFolded = index >= open;
    const charts = (['wide', 'narrow'] as const).map(
      (width) => html`<div class="${width}">${inlinePicture(figure, pixels[width])}</div>`,
    );
    const named = html`<h3 id="${titleId}">${title}</h3>`;
    const markup = html`<figure aria-labelledby="${titleId}">
      <figcaption>
        ${isFolded ? nothing : named}
        <p>${caption}</p>
      </figcaption>
      ${keys[figure.namesVariants]}
      <div class="chart" role="img" aria-label="${title}. ${alternative}">${charts}</div>
    </figure>`;
    return isFolded ? foldedFigure(named, markup) : markup;
  });
}
