import type { Result } from '../../contract/result.ts';
import { html, type Markup } from '../media/markup.ts';
import { type Look, variantLook } from './colours.ts';
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
export type Keyed = Look & { name: string };

/** Which look stands for which variant. */
export function keyOf({ variants }: Pick<Result, 'variants'>): Keyed[] {
  return variants.map(({ name }, index) => ({ name, ...variantLook(index) }));
}

/** A variant's mark with its name, as an entry of a list. */
export function keyEntry({ name, colour, mark }: Keyed): Markup {
  const shape = element('path', { d: mark, fill: colour });
  return html`<li><svg viewBox="-6 -6 12 12" aria-hidden="true">${shape}</svg>${name}</li>`;
}

/** A figure on the page that a reader opens. */
export function foldedFigure(heading: Markup, figure: Markup): Markup {
  return html`<details class="picture">
    <summary>${heading}</summary>
    <div>${figure}</div>
  </details>`;
}
