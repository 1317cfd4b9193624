import { scaleLinear } from 'd3-scale';
import type { Comparison } from '../../contract/comparison.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { changeWords } from '../view/answer.ts';
import { metricWords } from '../words/metric-words.ts';
import type { Figure } from './render.ts';
import { bandColour, ink, quietAxis, softInk } from './subject.ts';

/** An estimate of a change, with what it comes from. */
export interface ForestRow {
  /** Stands above the row at its left end, and is cut off if it is longer than the picture is wide. */
  name: string;
  /** The estimate in words; stands at the right end, below the names if they leave no room. */
  words: string;
  colour: string;
  symbol: string;
  change: number;
  interval: Comparison['interval'];
  /** Drawn as small marks. */
  changes: readonly number[];
}

/** Pixels of a row: its words, its estimate, and its small marks; those are left out where no row has any but the last. */
const rowHeight = { withMarks: 58, without: 34, wordsBelow: 16 };

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
  const { label } = metricWords(of);
  const isInPoints = metricNamed(of.metric)?.compared === 'difference';
  const extremes = rows.flatMap(({ change, interval, changes }) => [
    change,
    ...changes,
    ...(interval ? [interval.low, interval.high] : []),
  ]);
  const low = Math.min(-threshold, ...extremes);
  const high = Math.max(threshold, ...extremes);
  const margin = (high - low) * 0.08;
  const pixels =
    rows.slice(0, -1).every(({ changes }) => changes.length === 0) && rows.length > 1
      ? rowHeight.without
      : rowHeight.withMarks;
  const tickWords = (tick: number): string =>
    isInPoints
      ? changeWords(of, tick / 100)
      : changesOf(of.metric)
          .signed(tick / 100)
          .replace('.0', '');
  const [worse, better] = of.better === 'higher' ? ['◂ worse', 'better ▸'] : ['◂ better', 'worse ▸'];
  return {
    ...texts,
    namesVariants: 'always',
    height: (width) => 62 + (pixels + wordsBelow(rows, width)) * rows.length,
    option: ({ width }) => {
      const row = { pixels, below: wordsBelow(rows, width) };
      const [left, right] = [toPercent(low - margin), toPercent(high + margin)];
      const bands = rows.map((_, index) => [index + underNames(row), index + 1] as const);
      return {
        grid: { left: edge, right: edge, top: 6, bottom: 52 },
        xAxis: {
          ...quietAxis,
          type: 'value',
          min: left,
          max: right,
          splitLine: { show: false },
          axisLine: { show: false },
          axisLabel: {
            ...quietAxis.axisLabel,
            customValues: ticksBetween([left, right], { width, words: tickWords }),
            formatter: tickWords,
          },
          name: `${worse}     change in ${label}     ${better}`,
          nameLocation: 'middle',
          nameGap: 32,
        },
        yAxis: { type: 'value', min: 0, max: rows.length, show: false, inverse: true },
        series: [
          {
            type: 'line',
            data: [],
            markArea: {
              silent: true,
              itemStyle: { color: bandColour },
              data: bands.map(([from, to]) => [
                { xAxis: toPercent(-threshold), yAxis: from },
                { xAxis: toPercent(threshold), yAxis: to },
              ]),
            },
            markLine: {
              silent: true,
              symbol: 'none',
              lineStyle: { color: softInk, type: 'solid', width: 1 },
              label: { show: false },
              data: bands.map(([from, to]) => [{ coord: [0, from] }, { coord: [0, to] }]),
            },
          },
          ...rows.flatMap((one, index) => rowSeries(one, index, row)),
          ...rowNames(rows, [left, right], { ...row, width }),
        ],
      };
    },
  };
}

/** Pixels between the picture and what is drawn in it, on either side. */
const edge = 12;

/**
 * As many round numbers as there is room for the words of.
 *
 * @param ends of the axis
 */
export function ticksBetween(
  ends: readonly [number, number],
  { width, words }: { width: number; words: (tick: number) => string },
): number[] {
  const place = scaleLinear(ends, [edge, width - edge]);
  const half = (tick: number): number => (words(tick).length * pixelsOfDigit) / 2;
  const shown = [8, 6, 5, 4, 3, 2, 1].map((wanted) =>
    place.ticks(wanted).filter((tick) => place(tick) >= half(tick) && place(tick) + half(tick) <= width),
  );
  const fits = (ticks: readonly number[]): boolean =>
    ticks.every((tick, at) => {
      const last = ticks[at - 1];
      return (
        last === undefined ||
        (words(last) !== words(tick) && place(tick) - half(tick) >= place(last) + half(last) + minGap)
      );
    });
  return shown.find(fits) ?? [0];
}

/** Width of a letter of a tick, at most on average, and the least space between two ticks. */
const [pixelsOfDigit, minGap] = [7.5, 12];

/** Pixels that a row is higher because a name and its words do not fit beside each other. */
function wordsBelow(rows: readonly ForestRow[], width: number): number {
  const fit = rows.every(({ name, words }) => (name.length + words.length) * pixelsOfLetter <= width - 40);
  return fit ? 0 : rowHeight.wordsBelow;
}

/** Pixels of a row, and how many of them its words have below its name. */
interface Row {
  pixels: number;
  below: number;
}

/** Where the names of a row end, as a share of its height: what is drawn over all rows begins there. */
function underNames({ pixels, below }: Row): number {
  return (0.2 * pixels + below + 10) / (pixels + below);
}

function rowSeries({ colour, symbol, change, interval, changes }: ForestRow, row: number, { pixels, below }: Row) {
  const at = (share: number): number => row + (share * pixels + below) / (pixels + below);
  return [
    {
      type: 'scatter' as const,
      silent: true,
      symbol,
      symbolSize: 7,
      itemStyle: { color: colour, opacity: 0.55 },
      data: changes.map((each) => [toPercent(each), at(0.87)]),
    },
    ...(interval
      ? [
          {
            type: 'line' as const,
            silent: true,
            showSymbol: false,
            lineStyle: { color: colour, width: 5, cap: 'round' as const },
            data: [
              [toPercent(interval.low), at(0.6)],
              [toPercent(interval.high), at(0.6)],
            ],
          },
        ]
      : []),
    {
      type: 'scatter' as const,
      silent: true,
      symbol,
      symbolSize: 13,
      itemStyle: { color: colour, opacity: 1 },
      data: [[toPercent(change), at(0.6)]],
    },
  ];
}

/**
 * Above each row, its name begins at the left edge and its estimate ends at the right one, or on a line below: however
 * long they are, and wherever the marks lie, they overlap nothing.
 */
function rowNames(
  rows: readonly ForestRow[],
  [left, right]: [number, number],
  { pixels, below, width }: Row & { width: number },
) {
  const at = (row: number, under: number): number => row + (0.2 * pixels + under) / (pixels + below);
  const label = { show: true, distance: 0, color: ink, fontSize: 13 };
  const words = rows.map((row) => (below > 0 ? 0 : row.words.length * pixelsOfLetter));
  return rows.flatMap((row, index) => [
    {
      type: 'scatter' as const,
      silent: true,
      symbolSize: 0,
      data: [[left, at(index, 0)]],
      label: {
        ...label,
        position: 'right' as const,
        formatter: () => cut(row.name, (width - 40 - (words[index] ?? 0)) / pixelsOfLetter),
      },
    },
    {
      type: 'scatter' as const,
      silent: true,
      symbolSize: 0,
      data: [[right, at(index, below)]],
      label: { ...label, position: 'left' as const, fontWeight: 600, formatter: () => row.words },
    },
  ]);
}

/** Width of a letter of a label, at most on average. */
const pixelsOfLetter = 7.6;

function cut(text: string, letters: number): string {
  return text.length <= letters ? text : `${text.slice(0, Math.max(1, Math.floor(letters) - 1))}…`;
}

function toPercent(ratio: number): number {
  return ratio * 100;
}
