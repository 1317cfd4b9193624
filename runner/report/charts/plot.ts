import { html, type Markup, trusted } from '../media/markup.ts';
import { ink, type MarkStyle, ruleColour, softInk } from './colours.ts';

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

/** Where a tick of an axis is, and what it says. */
export interface Tick {
  at: number;
  words: string;
}

/** What all scales of d3 can do. */
interface TickScale {
  (value: number): number;
  ticks: (count: number) => number[];
  tickFormat: (count: number) => (value: number) => string;
}

/** The smallest and the largest of these; of one value, some room around it. */
export function rangeOf(values: readonly number[]): [low: number, high: number] {
  const [low, high] = [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  const room = low < high ? 0 : Math.abs(high) / 10 || 1;
  return [low - room, high + room];
}

/**
 * Returns the place at which to draw a value that does not count, since such a value must not squeeze the counted
 * values together. A value that is farther outside their range than the range is wide is drawn at that distance.
 *
 * @param counted the values that set the axis; if there are none, every value is drawn at its own place
 */
export function clampToRange(counted: readonly number[]): (value: number) => number {
  if (counted.length === 0) return (value) => value;
  const low = counted.reduce((a, b) => Math.min(a, b));
  const high = counted.reduce((a, b) => Math.max(a, b));
  const reach = high > low ? high - low : Math.abs(high) / 10;
  return (value) => Math.min(high + reach, Math.max(low - reach, value));
}

/** Round numbers, each with as many digits as tell it from its neighbours. @param wanted about how many */
export function ticksOf(scale: TickScale, wanted: number): Tick[] {
  const words = scale.tickFormat(wanted);
  return scale.ticks(wanted).map((tick) => ({ at: scale(tick), words: tick === 0 ? '0' : words(tick) }));
}

/** A logarithmic axis: powers of ten, and between them, 2 and 5 times these if there is room. @param room least distance */
export function logTicksOf(scale: TickScale, room: number): Tick[] {
  const found: number[] = [];
  for (const digit of ['1', '2', '5']) {
    for (const tick of scale.ticks(10).filter((one) => one.toExponential().startsWith(digit))) {
      if (found.every((other) => Math.abs(scale(other) - scale(tick)) >= room)) found.push(tick);
    }
  }
  return found.sort((a, b) => a - b).map((tick) => ({ at: scale(tick), words: tick.toLocaleString('en-US') }));
}

/** A thin straight line behind or across the marks. */
export function rule(from: Point, to: Point, look: { colour?: string; dashes?: string } = {}): Markup {
  return line([from, to], { colour: ruleColour, width: 1, ...look });
}

/** Horizontal rules with their numbers at the left edge. */
export function leftAxis({ left, right }: Frame, ticks: readonly Tick[]): Markup[] {
  return ticks.flatMap(({ at, words }) => [
    rule([left, at], [right, at]),
    label({ words, at: [left - 8, at], anchor: 'end', colour: softInk }),
  ]);
}

/** Words below the frame, and the name of the axis below them. @param hasRules whether vertical rules lead up */
export function bottomAxis(
  { left, right, top, bottom }: Frame,
  { ticks, name = '', hasRules = false }: { ticks: readonly Tick[]; name?: string; hasRules?: boolean },
): Markup[] {
  const below = { anchor: 'middle', colour: softInk } as const;
  return [
    ...(hasRules ? ticks.map(({ at }) => rule([at, top], [at, bottom])) : []),
    ...thinned(ticks).map(({ at, words }) => label({ ...below, words, at: [at, bottom + 14] })),
    ...(name === '' ? [] : [label({ ...below, words: name, at: [(left + right) / 2, bottom + 37] })]),
  ];
}

/** Whether there is room for the words of all. */
export function haveRoom(ticks: readonly Tick[]): boolean {
  return ticks.every(({ at, words }, index) => {
    const last = ticks[index - 1];
    return last === undefined || at - last.at >= (widthOf(words) + widthOf(last.words)) / 2 + 12;
  });
}

/** Every second, third, … of them, if there is no room for more. */
function thinned(ticks: readonly Tick[]): readonly Tick[] {
  const strides = ticks.map((_, index) => index + 1);
  const some = strides.map((stride) => ticks.filter((_, index) => index % stride === 0));
  return some.find(haveRoom) ?? [];
}
