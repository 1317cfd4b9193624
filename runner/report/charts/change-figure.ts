import type { Comparison, FinishedTrial, Result } from '../../contract/result.ts';
import { metricWords, trialValue } from '../words/metrics.ts';
import { percent, percentRange, signedPercent } from '../words/quantities.ts';
import type { Figure } from './figure.ts';
import { bandColour, ink, quietAxis, softInk, variantLook } from './style.ts';

interface CandidateChange {
  name: string;
  colour: string;
  symbol: string;
  change: number;
  interval: Comparison['interval'];
  /** One per block in which both trials finished. */
  blocks: number[];
}

const rowHeight = 76;

/** The evidence in one picture: change per block, the estimate with its interval, and what is too small to matter. */
export function changeFigure(result: Result): Figure | null {
  const primary = result.comparisons.filter((comparison) => comparison.primary);
  const candidates = primary.flatMap((comparison) => candidateChange(comparison, result) ?? []);
  const [first] = primary;
  if (!first || candidates.length === 0) return null;

  const threshold = result.experiment.definition.decision.practicalThreshold;
  const { label } = metricWords(first);
  const extremes = candidates.flatMap(({ change, interval, blocks }) => [
    change,
    ...blocks,
    ...(interval ? [interval.low, interval.high] : []),
  ]);
  const low = Math.min(-threshold, ...extremes);
  const high = Math.max(threshold, ...extremes);
  const margin = (high - low) * 0.08;
  const [worse, better] = first.better === 'higher' ? ['◂ worse', 'better ▸'] : ['◂ better', 'worse ▸'];

  return {
    title: `Change in ${label} against ${first.baseline.variant}`,
    caption: `Small marks: each block on its own.${candidates.some(({ interval }) => interval !== null) ? ' Bar: the interval of the change.' : ''} Large mark: the estimate. Shaded: changes below ${percent(threshold)}, declared too small to matter.`,
    alternative: candidates
      .map(
        ({ name, change, interval, blocks }) =>
          `${name}: ${signedPercent(change)}${interval ? `, interval ${percentRange(interval.low, interval.high)}` : ', no interval'}; by block ${blocks.map(signedPercent).join(', ') || 'not known'}.`,
      )
      .join(' '),
    height: 62 + rowHeight * candidates.length,
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
          formatter: (value: number) => signedPercent(value / 100).replace('.0', ''),
        },
        name: `${worse}     change in ${label}     ${better}`,
        nameLocation: 'middle',
        nameGap: 32,
      },
      yAxis: { type: 'value', min: 0, max: candidates.length, show: false, inverse: true },
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
        ...candidates.flatMap((candidate, row) => candidateSeries(candidate, row, low, high)),
      ],
    }),
  };
}

function candidateSeries(
  { name, colour, symbol, change, interval, blocks }: CandidateChange,
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
      data: blocks.map((block) => [toPercent(block), row + 0.82]),
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
        formatter: () => `${name}  ${signedPercent(change)}`,
      },
    },
  ];
}

function candidateChange(comparison: Comparison, { variants, trials }: Result): CandidateChange | null {
  const { change, interval, metric, unit, baseline, candidate } = comparison;
  if (change === null) return null;
  const finished = trials.filter((trial) => trial.state === 'finished');
  const value = (variant: string, block: number) => {
    const trial = finished.find((each: FinishedTrial) => each.variant === variant && each.block === block);
    return trial ? trialValue(trial, metric, unit) : null;
  };
  const blocks = [...new Set(finished.map(({ block }) => block))].flatMap((block) => {
    const before = value(baseline.variant, block);
    const after = value(candidate.variant, block);
    return before === null || after === null || before === 0 ? [] : [after / before - 1];
  });
  const look = variantLook(variants.findIndex(({ name }) => name === candidate.variant));
  return { name: candidate.variant, ...look, change, interval, blocks };
}

/** Long names must not run over the edge that their mark is near to. */
function labelSide(place: number): 'left' | 'center' | 'right' {
  return place > 0.7 ? 'right' : place < 0.3 ? 'left' : 'center';
}

function toPercent(ratio: number): number {
  return ratio * 100;
}
