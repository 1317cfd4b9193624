import { html, type Markup } from '../media/markup.ts';
import { pageColours } from './colours.ts';
import type { Figure, Keyed } from './figure.ts';
import { element, label, mark, shortened, widthOf } from './plot.ts';

const width = 880;
const margin = 20;
const titleHeight = 44;
const keyHeight = 24;
const keySize = 14;

/**
 * Draws a picture as an SVG file of its own: with its title, with the key if the drawing does not name the variants, and on
 * white paper, so that it can be read wherever it is shown. It needs neither a style sheet nor a font.
 */
export function standaloneChart({ title, alternative, namesVariants, draw }: Figure, key: readonly Keyed[]): string {
  const rows = namesVariants === 'never' ? rowsOfKey(key) : [];
  const { height, marks } = draw(width);
  const top = titleHeight + rows.length * keyHeight;
  const whole = { width: width + 2 * margin, height: top + height + margin };
  const svg = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${whole.width}"
    height="${whole.height}"
    viewBox="0 0 ${whole.width} ${whole.height}"
    font-family="system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
    role="img"
  >
    <title>${title}</title>
    <desc>${alternative}</desc>
    <rect width="100%" height="100%" fill="var(--paper)" />
    ${label({ words: shortened(title, width, 16), at: [margin, 22], size: 16, isBold: true })}
    ${rows.flatMap((row, index) => row.flatMap((entry) => entryMarkup(entry, titleHeight + index * keyHeight)))}
    ${element('g', { transform: `translate(${margin} ${top})` }, marks)}
  </svg> `;
  return inOwnColours(wellFormed(svg.text));
}

type Placed = Keyed & { x: number };

/** From left to right, as many on a line as there is room for. */
function rowsOfKey(key: readonly Keyed[]): Placed[][] {
  const rows: Placed[][] = [];
  let x = Infinity;
  for (const entry of key) {
    const name = shortened(entry.name, width / 2 - 40, keySize);
    const needed = 40 + widthOf(name, keySize);
    if (x + needed > width) {
      rows.push([]);
      x = margin;
    }
    rows.at(-1)?.push({ ...entry, name, x });
    x += needed;
  }
  return rows;
}

function entryMarkup(entry: Placed, y: number): Markup[] {
  const [x, middle] = [entry.x + 6, y + 6];
  return [mark([x, middle], entry, { size: 12 }), label({ words: entry.name, at: [x + 14, middle], size: keySize })];
}

const colours: Readonly<Record<string, string>> = pageColours.light;

/**
 * A file of its own has no style sheet that defines the page's variables. They stand in attributes alone: text has no
 * quotation marks, since all of them are escaped.
 */
function inOwnColours(svg: string): string {
  return svg.replace(/="var\(--([\w-]+)\)"/g, (_, name: string) => {
    const colour = colours[name];
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
