import { html, trusted } from '../media/markup.ts';
import type { KeyEntry } from './key.ts';
import { pageColours } from './page-colours.ts';
import { type Drawn, drawOnce, type Figure } from './render.ts';
import { shortName } from './subject.ts';

const width = 880;
const margin = 20;
const titleHeight = 44;
const keyHeight = 24;
/** Width of a letter of the key, at most on average. */
const pixelsOfLetter = 8.2;

/**
 * Draws a picture as an SVG file of its own: with its title, with the key if the drawing does not name the variants, and on
 * white paper, so that it can be read wherever it is shown. It needs neither a style sheet nor a font.
 *
 * @param of.id unique among the pictures of the report
 */
export function standaloneChart(figure: Figure, key: KeyEntry[], of: { id: string; drawn: Drawn }): string {
  const { title, alternative, namesVariants } = figure;
  const rows = namesVariants === 'never' ? rowsOfKey(key) : [];
  const height = figure.height(width);
  const top = titleHeight + rows.length * keyHeight;
  const whole = { width: width + 2 * margin, height: top + height + margin };
  const drawing = drawOnce(figure, { id: of.id, width, narrow: false }, of.drawn);
  const svg = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${whole.width}"
    height="${whole.height}"
    viewBox="0 0 ${whole.width} ${whole.height}"
    font-family="system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
    fill="var(--ink)"
    role="img"
  >
    <title>${title}</title>
    <desc>${alternative}</desc>
    <rect width="100%" height="100%" fill="var(--paper)" />
    <text x="${margin}" y="28" font-size="16" font-weight="600">${shortName(title, 92)}</text>
    ${rows.flatMap((row, index) => row.map((entry) => keyEntry(entry, titleHeight + index * keyHeight)))}
    <svg x="${margin}" y="${top}" width="${width}" height="${height}">${trusted(drawing)}</svg>
  </svg> `;
  return inOwnColours(wellFormed(svg.text));
}

type Placed = KeyEntry & { x: number };

/** From left to right, as many on a line as there is room for. */
function rowsOfKey(key: readonly KeyEntry[]): Placed[][] {
  const rows: Placed[][] = [];
  let x = Infinity;
  for (const entry of key) {
    const name = shortName(entry.name, 48);
    const needed = 40 + name.length * pixelsOfLetter;
    if (x + needed > width) {
      rows.push([]);
      x = margin;
    }
    rows.at(-1)?.push({ ...entry, name, x });
    x += needed;
  }
  return rows;
}

function keyEntry({ name, colour, shape, x }: Placed, y: number) {
  return html`<g transform="translate(${x} ${y})" fill="${colour}">${trusted(shape)}</g
    ><text x="${x + 20}" y="${y + 11}" font-size="14">${name}</text> `;
}

/**
 * A file of its own has no style sheet that defines the page's variables. They stand in attributes alone: text has no
 * quotation marks, since all of them are escaped.
 */
function inOwnColours(svg: string): string {
  return svg.replace(/="var\(--([\w-]+)\)"/g, (_, name: string) => {
    const colour = pageColours.light[name];
    if (colour === undefined) throw new Error(`charts have no colour --${name}`);
    return `="${colour}"`;
  });
}

/**
 * XML has no way to hold these two characters. Others that it cannot hold act on a terminal, so they are made visible when
 * the file is written.
 */
function wellFormed(text: string): string {
  return text.replace(/[\ufffe\uffff]/g, '\ufffd');
}
