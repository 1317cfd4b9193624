import type { Comparison } from '../../contract/comparison.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { changeWords } from '../view/answer.ts';
import { metricWords } from '../words/metric-words.ts';
import { signedPercent } from '../words/quantities.ts';
import type { Figure } from './render.ts';
import { bandColour, ink, paper, quietAxis, softInk } from './subject.ts';

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
const rowHeight = { withMarks: 58, without: 34, ofWordsBelow: 16 };

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
  const [worse, better] = of.better === 'higher' ? ['◂ worse', 'better ▸'] : ['◂ better', 'worse ▸'];
  return {
    ...texts,
    namesVariants: 'always',
    height: (width) => 62 + (pixels + wordsBelow(rows, width)) * rows.length,
    option: ({ narrow, width }) => ({
      grid: { left: 12, right: 12, top: 6, bottom: 52 },
      xAxis: {
        ...quietAxis,
        type: 'value',
        min: toPercent(low - margin),
        max: toPercent(high + margin),
        splitNumber: narrow ? 4 : 8,
        splitLine: { show: false },
        axisLine: { show: false },
        axisLabel: {
          ...quietAxis.axisLabel,
          showMinLabel: false,
          showMaxLabel: false,
          formatter: (value: number) =>
            isInPoints ? changeWords(of, value / 100) : signedPercent(value / 100).replace('.0', ''),
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
            data: [[{ xAxis: toPercent(-threshold) }, { xAxis: toPercent(threshold) }]],
          },
          markLine: {
            silent: true,
            symbol: 'none',
            lineStyle: { color: softInk, type: 'solid', width: 1 },
            label: { show: false },
            data: [{ xAxis: 0 }],
          },
        },
        ...rows.flatMap((row, index) => rowSeries(row, index, { pixels, below: wordsBelow(rows, width) })),
        ...rowNames(rows, [toPercent(low - margin), toPercent(high + margin)], {
          pixels,
          width,
          below: wordsBelow(rows, width),
        }),
      ],
    }),
  };
}

/** Pixels that a row is higher because a name and its words do not fit beside each other. */
function wordsBelow(rows: readonly ForestRow[], width: number): number {
  const fit = rows.every(({ name, words }) => (name.length + words.length) * pixelsOfLetter <= width - 40);
  return fit ? 0 : rowHeight.ofWordsBelow;
}

/** Pixels of a row, and how many of them its words have below its name. */
interface Row {
  pixels: number;
  below: number;
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
  const label = { show: true, distance: 0, color: ink, fontSize: 13, backgroundColor: paper, padding: [1, 3] };
  const words = rows.map((row) => (below > 0 ? 0 : row.words.length * pixelsOfLetter));
  return rows.flatMap((row, index) => [
    {
      type: 'scatter' as const,
      silent: true,
      symbolSize: 0,
      // Above the line at zero.
      z: 6,
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
      z: 6,
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
