import { metricNamed } from '../../metrics/catalogue.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { changeWords, pairsInWords } from '../view/answer.ts';
import { changeSizes, metricWords } from '../words/metric-words.ts';
import { signedPercent } from '../words/quantities.ts';
import type { Figure } from './render.ts';
import { bandColour, type ChartSubject, hollowWords, ink, quietAxis, softInk, variantLook } from './subject.ts';

/** One candidate's row. */
export interface CandidateChange {
  candidate: string;
  change: number;
  interval: Comparison['interval'];
  /** The pairs that the estimate used, and no others. */
  pairs: Comparison['pairs'];
}

interface Row extends CandidateChange {
  colour: string;
  symbol: string;
  /** The estimate in words. */
  words: string;
  /** The change of each pair, without pairs that have none. */
  changes: number[];
}

const rowHeight = 76;

/**
 * Draws the evidence in one picture: change in each block, the estimate with its interval, and which changes are too small
 * to matter.
 */
export function changeChart(subject: ChartSubject): Promise<Figure<CandidateChange[]> | null> {
  return Promise.resolve(draw(subject));
}

function draw(subject: ChartSubject): Figure<CandidateChange[]> | null {
  const { comparisons, experiment, level, variants } = subject;
  const primary = comparisons.filter((comparison) => comparison.primary && comparison.change !== null);
  const [first] = primary;
  if (!first) return null;
  const rows = primary.map((comparison): Row => {
    const { change, interval, pairs } = comparison;
    const candidate = comparison.candidate.variant;
    return {
      candidate,
      change: change ?? 0,
      interval,
      pairs,
      ...variantLook(variants.findIndex(({ name }) => name === candidate)),
      words: changeWords(comparison, change),
      changes: pairs.flatMap((pair) => pair.change ?? []),
    };
  });

  const threshold = experiment.definition.decision.practicalThreshold;
  const { label } = metricWords(first);
  const sizes = changeSizes(first.metric);
  const isInPoints = metricNamed(first.metric)?.compared === 'difference';
  const extremes = rows.flatMap(({ change, interval, changes }) => [
    change,
    ...changes,
    ...(interval ? [interval.low, interval.high] : []),
  ]);
  const low = Math.min(-threshold, ...extremes);
  const high = Math.max(threshold, ...extremes);
  const margin = (high - low) * 0.08;
  const [worse, better] = first.better === 'higher' ? ['◂ worse', 'better ▸'] : ['◂ better', 'worse ▸'];

  return {
    title: `Change in ${label} against ${first.baseline.variant}${levelSuffix(level)}`,
    caption: `Small marks: each block on its own.${rows.some(({ interval }) => interval !== null) ? ' Bar: the interval of the change.' : ''} Large mark: the estimate. Shaded: changes below ${sizes.size(threshold)}, declared too small to matter.${hollowWords(subject, 'Not drawn')}`,
    alternative: primary
      .map((comparison) => {
        const { candidate, change, interval } = comparison;
        return `${candidate.variant}: ${changeWords(comparison, change)}${interval ? `, interval ${sizes.range(interval.low, interval.high)}` : ', no interval'}; by block ${pairsInWords(comparison) || 'not known'}.`;
      })
      .join(' '),
    data: rows.map(({ candidate, change, interval, pairs }) => ({ candidate, change, interval, pairs })),
    namesVariants: true,
    height: 62 + rowHeight * rows.length,
    option: ({ narrow }) => ({
      grid: { left: 12, right: 12, top: 10, bottom: 52 },
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
            isInPoints ? changeWords(first, value / 100) : signedPercent(value / 100).replace('.0', ''),
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
        ...rows.flatMap((row, index) => rowSeries(row, index, low, high)),
      ],
    }),
  };
}

function rowSeries(
  { candidate, colour, symbol, change, interval, changes, words }: Row,
  row: number,
  low: number,
  high: number,
) {
  return [
    {
      type: 'scatter' as const,
      silent: true,
      symbol,
      symbolSize: 8,
      itemStyle: { color: colour, opacity: 0.55 },
      data: changes.map((each) => [toPercent(each), row + 0.82]),
    },
    ...(interval
      ? [
          {
            type: 'line' as const,
            silent: true,
            showSymbol: false,
            lineStyle: { color: colour, width: 5, cap: 'round' as const },
            data: [
              [toPercent(interval.low), row + 0.52],
              [toPercent(interval.high), row + 0.52],
            ],
          },
        ]
      : []),
    {
      type: 'scatter' as const,
      silent: true,
      symbol,
      symbolSize: 15,
      itemStyle: { color: colour, opacity: 1 },
      data: [[toPercent(change), row + 0.52]],
      label: {
        show: true,
        position: 'top' as const,
        align: labelSide((change - low) / (high - low)),
        distance: 6,
        color: ink,
        fontWeight: 600,
        fontSize: 13,
        formatter: () => `${candidate}  ${words}`,
      },
    },
  ];
}

/** The side of a mark on which its label is written. Long labels must not run over the edge that the mark is close to. */
function labelSide(place: number): 'left' | 'center' | 'right' {
  return place > 0.7 ? 'right' : place < 0.3 ? 'left' : 'center';
}

function toPercent(ratio: number): number {
  return ratio * 100;
}
