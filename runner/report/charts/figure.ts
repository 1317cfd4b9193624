import type { Result } from '../../contract/result.ts';
import { html, type Markup, nothing } from '../media/markup.ts';
import { type MarkStyle, variantStyle } from './colours.ts';
import { type Drawing, element } from './plot.ts';

/** A picture with its texts. It is drawn for the width of a page, and for the width of a phone. */
export interface Figure<Data = unknown> {
  title: string;
  caption: string;
  /** What the picture shows, for readers who cannot see it. */
  alternative: string;
  /** The values that are drawn, in base units. */
  data: Data;
  /** At which widths the variants have their names beside their marks, so that no key above them is needed. */
  namesVariants: 'always' | 'if wide' | 'never';
  draw: (width: number) => Drawing;
}

/** The picture as a part of a page. */
export function inlinePicture({ draw }: Pick<Figure, 'draw'>, width: number): Markup {
  const { height, marks } = draw(width);
  return html`<svg aria-hidden="true" focusable="false" viewBox="0 0 ${width} ${height}">${marks}</svg>`;
}

/** A variant and its look. */
export type Keyed = MarkStyle & { name: string };

/** Which look stands for which variant. */
export function keyOf({ variants }: Pick<Result, 'variants'>): Keyed[] {
  return variants.map(({ name }, index) => ({ name, ...variantStyle(index) }));
}

/** What signs of a picture stand for. Names wrap, however long they are. @param shown `key` alone: not on a wide page */
export function keyMarkup(entries: readonly { sign: Markup; name: string }[], shown = 'key always'): Markup {
  if (entries.length === 0) return nothing;
  return html`<ul class="${shown}">
    ${entries.map(({ sign, name }) => html`<li>${sign}<span>${name}</span></li>`)}
  </ul>`;
}

/** A variant's mark, as a sign of a key. */
export function markSign({ colour, mark }: MarkStyle): Markup {
  return html`<svg viewBox="-6 -6 12 12" aria-hidden="true">${element('path', { d: mark, fill: colour })}</svg>`;
}

/** A figure on the page that a reader opens. */
export function foldedFigure(heading: Markup, figure: Markup): Markup {
  return html`<details>
    <summary>${heading}</summary>
    <div>${figure}</div>
  </details>`;
}
