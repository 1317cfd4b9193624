import type { Markup } from '../media/markup.ts';
import { ruleColour, softInk } from './colours.ts';
import { type Frame, label, line, type Point, widthOf } from './plot.ts';

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
