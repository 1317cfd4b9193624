import { html, type Markup, trusted } from '../media/markup.ts';
import { ink, type MarkStyle } from './colours.ts';

/** What pictures are drawn with. All lengths are pixels. */

export type Point = readonly [x: number, y: number];

/** A picture at one width. */
export interface Drawing {
  height: number;
  marks: readonly Markup[];
}

/** An element of SVG. Numbers are rounded to a tenth of a pixel. */
export function element(
  tag: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content: string | readonly Markup[] = '',
): Markup {
  const written = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [` ${name}="${html`${typeof value === 'number' ? tenths(value) : value}`.text}"`],
  );
  return trusted(`<${tag}${written.join('')}>${html`${content}`.text}</${tag}>`);
}

export function tenths(value: number): string {
  return String(Number(value.toFixed(1)));
}

/** The path through these points; one alone between gaps is a dot. */
export function pathOf(points: readonly (Point | null)[], digits = 1): string {
  const place = (at: Point): string => at.map((value) => Number(value.toFixed(digits))).join(',');
  return points
    .map((at, index) => {
      if (!at) return '';
      if (points[index - 1]) return `L${place(at)}`;
      return `M${place(at)}${points[index + 1] ? '' : 'z'}`;
    })
    .join('');
}

/** A line through these points, with a gap where there is none. */
export function line(
  points: readonly (Point | null)[],
  look: { colour: string; width: number; dashes?: string },
): Markup {
  return element('path', {
    d: pathOf(points),
    fill: 'none',
    stroke: look.colour,
    'stroke-width': look.width,
    'stroke-linecap': 'round',
    'stroke-dasharray': look.dashes === '' ? undefined : look.dashes,
  });
}

/** A variant's mark. One that does not count is hollow. */
export function mark(
  [x, y]: Point,
  { colour, mark }: Pick<MarkStyle, 'colour' | 'mark'>,
  { size = 13, isFaint = false, isHollow = false } = {},
): Markup {
  return element('path', {
    d: mark,
    transform: `translate(${tenths(x)} ${tenths(y)}) scale(${(size / 12).toFixed(2)})`,
    fill: isHollow ? 'none' : colour,
    ...(isHollow && { stroke: colour, 'stroke-width': 1.5, 'vector-effect': 'non-scaling-stroke' }),
    ...(isFaint && !isHollow && { opacity: '0.55' }),
  });
}

/** A line of text whose middle is at this height. */
export interface Label {
  words: string;
  at: Point;
  anchor?: 'start' | 'middle' | 'end';
  colour?: string;
  size?: number;
  isBold?: boolean;
}

const defaultSize = 12;

export function label({
  words,
  at: [x, y],
  anchor = 'start',
  colour = ink,
  size = defaultSize,
  isBold,
}: Label): Markup {
  return element(
    'text',
    {
      x,
      y: y + 0.35 * size,
      'text-anchor': anchor === 'start' ? undefined : anchor,
      fill: colour,
      'font-size': size,
      'font-weight': isBold === true ? 600 : undefined,
    },
    // SVG shows several spaces as one.
    words.replaceAll('  ', ' \u00a0'),
  );
}

/** Width of a text, at most on average. */
export function widthOf(words: string, size = defaultSize): number {
  return words.length * size * 0.585;
}

/** A text that is not wider than this. */
export function shortened(words: string, width: number, size = defaultSize): string {
  const letters = Math.max(1, Math.floor(width / widthOf('x', size)));
  return words.length <= letters ? words : `${words.slice(0, letters - 1)}…`;
}

/** Labels without any two on each other: they give way up, and where the picture ends, down. */
export function apart(labels: readonly Label[]): Label[] {
  return givingWay(givingWay(labels, -1), 1);
}

const [lineHeight, highest] = [14, 8];

function givingWay(labels: readonly Label[], direction: 1 | -1): Label[] {
  const placed: Label[] = [];
  for (const one of labels.toSorted((a, b) => direction * (a.at[1] - b.at[1]))) {
    const [x, y] = one.at;
    const nearest = placed
      .filter((other) => Math.abs(other.at[0] - x) < (widthOf(one.words) + widthOf(other.words)) / 2)
      .map(({ at }) => at[1] + direction * lineHeight);
    placed.push({ ...one, at: [x, direction > 0 ? Math.max(y, highest, ...nearest) : Math.min(y, ...nearest)] });
  }
  return placed;
}

/** The edges of the place for marks, within a picture. */
export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Narrow pictures are for phones, and have fewer labels. */
export function isNarrow(width: number): boolean {
  return width < 400;
}

const maxNameWidth = widthOf('x'.repeat(24));

/** @param names that stand at the right end of lines */
export function frameIn(size: { width: number; height: number }, names: readonly string[] = []): Frame {
  const room = Math.max(0, ...names.map((name) => widthOf(shortened(name, maxNameWidth)) + 8));
  return { left: 62, right: size.width - 12 - room, top: 16, bottom: size.height - 48 };
}

/** The names of lines at their right ends. */
export function nameLines(ends: readonly { name: string; at: Point }[]): Markup[] {
  return apart(
    ends.map(({ name, at: [x, y] }) => ({ words: shortened(name, maxNameWidth), at: [x + 12, y] as const })),
  ).map(label);
}
