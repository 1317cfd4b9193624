import type { Result } from '../../contract/result.ts';
import type { Figure } from '../charts/figure.ts';
import { renderChart } from '../charts/render.ts';
import { variantLook } from '../charts/style.ts';
import { html, type Markup, trusted } from './markup.ts';

const wideWidth = 880;
const narrowWidth = 354;

/**
 * A figure in two widths; the page shows one of them. If a chart were scaled down to the width of a phone, its text could
 * not be read.
 */
export function figureMarkup(figure: Figure, id: string, key: Markup): Markup {
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
export function keyMarkup({ variants }: Result, always: boolean): Markup {
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
