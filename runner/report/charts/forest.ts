import { scaleLinear } from 'd3-scale';
import type { Comparison } from '../../contract/comparison.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import type { Markup } from '../media/markup.ts';
import { bandColour, type MarkStyle, softInk } from './colours.ts';
import type { Figure } from './figure.ts';
import { bottomAxis, haveRoom, rule, type Tick } from './axes.ts';
import { element, label, line, mark, shortened, widthOf } from './plot.ts';
import { changeWords } from '../answer/answers.ts';
import { metricWords } from '../metric-words.ts';

/** An estimate of a change, with what it comes from. */
export interface ForestRow {
  /** Stands above the row at its left end, and is cut off if it is longer than the picture is wide. */
  name: string;
  /** The estimate in words; stands at the right end, below the names if they leave no room. */
  words: string;
  look: Pick<MarkStyle, 'colour' | 'mark'>;
  change: number;
  interval: Comparison['interval'];
  /** Drawn as small marks. */
  changes: readonly number[];
}

/** Pixels of a row: its words, its estimate, and its small marks; those are left out where no row has any but the last. */
const rowHeight = { withMarks: 58, without: 34, wordsBelow: 16 };

/** Pixels above the rows, beside them, and below them for the axis. */
const [above, edge, below] = [6, 12, 52];
const textSize = 13;

/**
 * Draws estimates one above the other on one axis, with zero and the changes that are too small to matter.
 *
 * @param drawn.of a comparison on whose scale the changes are
 * @param drawn.threshold the smallest change that matters
 */
export function forest<Data>({
  rows,
  of,
  threshold,
  ...texts
}: Pick<Figure<Data>, 'title' | 'caption' | 'alternative' | 'data'> & {
  rows: readonly ForestRow[];
  of: Pick<Comparison, 'metric' | 'unit' | 'better'>;
  threshold: number;
}): Figure<Data> {
  const isInPoints = metricNamed(of.metric)?.compared === 'difference';
  const extremes = rows.flatMap(({ change, interval, changes }) => [
    change,
    ...changes,
    ...(interval ? [interval.low, interval.high] : []),
  ]);
  const low = Math.min(-threshold, ...extremes);
  const high = Math.max(threshold, ...extremes);
  const margin = (high - low) * 0.08;
  const hasMarks = rows.length === 1 || rows.slice(0, -1).some(({ changes }) => changes.length > 0);
  const inner = hasMarks ? rowHeight.withMarks : rowHeight.without;
  const wordsOfTick = (percent: number): string =>
    isInPoints
      ? changeWords(of, percent / 100)
      : changesOf(of.metric)
          .signed(percent / 100)
          .replace('.0', '');
  const [worse, better] = of.better === 'higher' ? ['◂ worse', 'better ▸'] : ['◂ better', 'worse ▸'];
  const name = `${worse}     change in ${metricWords(of).label}     ${better}`;
  return {
    ...texts,
    namesVariants: 'always',
    draw: (width) => {
      const isBeside = rows.every((row) => widthOf(row.name + row.words, textSize) <= width - 40);
      const wordsBelow = isBeside ? 0 : rowHeight.wordsBelow;
      const height = above + (inner + wordsBelow) * rows.length + below;
      const frame = { left: edge, right: width - edge, top: above, bottom: height - below };
      const ends = [low - margin, high + margin] as const;
      const x = scaleLinear(ends, [frame.left, frame.right]);
      const marks = rows.flatMap((row, index) => {
        const top = above + (inner + wordsBelow) * index;
        const nameAt = top + 0.2 * inner;
        const room = width - 40 - (isBeside ? widthOf(row.words, textSize) : 0);
        const texts = { size: textSize };
        const [from, to] = [nameAt + wordsBelow + 10, top + inner + wordsBelow];
        return [
          bandMarkup({ x: x(-threshold), y: from, width: x(threshold) - x(-threshold), height: to - from }),
          rule([x(0), from], [x(0), to], { colour: softInk }),
          label({ ...texts, words: shortened(row.name, room, textSize), at: [frame.left, nameAt] }),
          label({ ...texts, words: row.words, at: [frame.right, nameAt + wordsBelow], anchor: 'end', isBold: true }),
          ...rowMarks(row, { x, y: (share) => top + wordsBelow + share * inner }),
        ];
      });
      const ticks = ticksBetween([ends[0] * 100, ends[1] * 100], { width, words: wordsOfTick });
      return { height, marks: [...marks, ...bottomAxis(frame, { ticks, name })] };
    },
  };
}

function bandMarkup(box: { x: number; y: number; width: number; height: number }): Markup {
  return element('rect', { ...box, fill: bandColour });
}

/** @param at.y of a share of the row's height */
function rowMarks(
  { look, change, interval, changes }: ForestRow,
  { x, y }: { x: (change: number) => number; y: (share: number) => number },
): Markup[] {
  const level = y(0.6);
  return [
    ...changes.map((each) => mark([x(each), y(0.87)], look, { size: 7, isFaint: true })),
    ...(interval
      ? [line([[x(interval.low), level], [x(interval.high), level]], { colour: look.colour, width: 5 })] // prettier-ignore
      : []),
    mark([x(change), level], look),
  ];
}

/**
 * As many round numbers as there is room for the words of, all of them within the picture.
 *
 * @param ends of the axis, in percent
 */
export function ticksBetween(
  ends: readonly [number, number],
  { width, words }: { width: number; words: (percent: number) => string },
): Tick[] {
  const place = scaleLinear(ends, [edge, width - edge]);
  const shown = [8, 6, 5, 4, 3, 2, 1].map((wanted) =>
    place
      .ticks(wanted)
      .map((tick) => ({ at: place(tick), words: words(tick) }))
      .filter((tick) => Math.min(tick.at, width - tick.at) >= widthOf(tick.words) / 2 + 4),
  );
  const differ = (ticks: readonly Tick[]): boolean => new Set(ticks.map((tick) => tick.words)).size === ticks.length;
  return shown.find((ticks) => differ(ticks) && haveRoom(ticks)) ?? [{ at: place(0), words: words(0) }];
}
