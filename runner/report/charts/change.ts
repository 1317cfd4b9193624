import { metricNamed } from '../../metrics/catalogue.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { levelKey, levelSuffix, levelWords } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { changeWords, pairsInWords } from '../view/answer.ts';
import { ranked } from '../view/lead.ts';
import { changeSizes, metricWords } from '../words/metric-words.ts';
import { signedPercent } from '../words/quantities.ts';
import type { Figure } from './render.ts';
import { bandColour, ink, paper, quietAxis, softInk, variantLook } from './subject.ts';

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
  /** The candidate, the level, or both: whichever rows differ in. */
  name: string;
  /** The estimate in words. */
  words: string;
  /** The change of each pair, without pairs that have none. */
  changes: number[];
}

/** Pixels of a row: its words, its estimate, and its blocks. */
const rowHeight = 58;

/**
 * Draws the evidence in one picture: the estimate of every candidate at every level with its interval, the change in each
 * block, and which changes are too small to matter. Of several candidates, a control stands first, then the best.
 *
 * @param counted ids of the trials that count
 * @returns none if nothing that decides was compared
 */
export function changeFigures(
  { comparisons, experiment: { definition }, trials }: Pick<Result, 'comparisons' | 'experiment' | 'trials'>,
  counted: ReadonlySet<string>,
): Figure<CandidateChange[]>[] {
  const primary = comparisons.filter((comparison) => comparison.primary && comparison.change !== null);
  const [first] = primary;
  if (!first) return [];
  const controls = controlsOf(definition);
  const levels = [...new Set(primary.map(({ conditions }) => levelKey(conditions)))];
  const names = Object.keys(definition.variants);
  const isControl = ({ candidate }: Comparison): boolean => controls.includes(candidate.variant);
  const ordered = levels.flatMap((level) => {
    const own = ranked(primary.filter(({ conditions }) => levelKey(conditions) === level));
    return [...own.filter(isControl), ...own.filter((one) => !isControl(one))];
  });
  const baselines = new Set(primary.map(({ baseline }) => baseline.variant));
  const isOneCandidate = new Set(primary.map(({ candidate }) => candidate.variant)).size === 1;
  const rows = ordered.map((comparison): Row => {
    const { change, interval, pairs, conditions, verdict } = comparison;
    const candidate = comparison.candidate.variant;
    const level = levelWords(conditions);
    return {
      candidate,
      change: change ?? 0,
      interval,
      pairs,
      ...variantLook(names.indexOf(candidate)),
      name: level === '' ? candidate : isOneCandidate ? level : `${candidate} at ${level}`,
      // A single one has its verdict in the headline.
      words: [changeWords(comparison, change), primary.length > 1 ? (verdict ?? 'no verdict') : ''].join('  ').trim(),
      changes: pairs.flatMap((pair) => pair.change ?? []),
    };
  });
  const threshold = definition.decision.practicalThreshold;
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

  const left = trials.filter(({ state, id }) => state === 'finished' && !counted.has(id)).length;
  const notDrawn =
    left === 0 ? '' : ` Not drawn: ${left} ${left === 1 ? 'trial that does' : 'trials that do'} not count.`;
  const figure: Figure<CandidateChange[]> = {
    title: `Change in ${label} against ${baselines.size === 1 ? first.baseline.variant : 'the baseline of each group'}`,
    caption: `Large mark: the estimate.${rows.some(({ interval }) => interval !== null) ? ' Bar: its interval.' : ''} Small marks: single blocks. Shaded: below ${sizes.size(threshold)}, declared too small to matter.${notDrawn}`,
    alternative: ordered
      .map((comparison) => {
        const { candidate, change, interval, conditions } = comparison;
        return `${candidate.variant}${levelSuffix(conditions)}: ${changeWords(comparison, change)}${interval ? `, interval ${sizes.range(interval.low, interval.high)}` : ', no interval'}; by block ${pairsInWords(comparison) || 'not known'}.`;
      })
      .join(' '),
    data: rows.map(({ candidate, change, interval, pairs }) => ({ candidate, change, interval, pairs })),
    namesVariants: true,
    height: 62 + rowHeight * rows.length,
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
        ...rows.flatMap((row, index) => rowSeries(row, index)),
        ...rowNames(rows, [toPercent(low - margin), toPercent(high + margin)], width),
      ],
    }),
  };
  return [figure];
}

function rowSeries({ colour, symbol, change, interval, changes }: Row, row: number) {
  return [
    {
      type: 'scatter' as const,
      silent: true,
      symbol,
      symbolSize: 7,
      itemStyle: { color: colour, opacity: 0.55 },
      data: changes.map((each) => [toPercent(each), row + 0.84]),
    },
    ...(interval
      ? [
          {
            type: 'line' as const,
            silent: true,
            showSymbol: false,
            lineStyle: { color: colour, width: 5, cap: 'round' as const },
            data: [
              [toPercent(interval.low), row + 0.58],
              [toPercent(interval.high), row + 0.58],
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
      data: [[toPercent(change), row + 0.58]],
    },
  ];
}

/**
 * Above each row, its name begins at the left edge and its estimate ends at the right one: however long they are, and
 * wherever the marks lie, they overlap nothing.
 */
function rowNames(rows: readonly Row[], [left, right]: [number, number], width: number) {
  const label = { show: true, distance: 0, color: ink, fontSize: 13, backgroundColor: paper, padding: [1, 3] };
  const words = rows.map((row) => row.words.length * pixelsOfLetter);
  return rows.flatMap((row, index) => [
    {
      type: 'scatter' as const,
      silent: true,
      symbolSize: 0,
      data: [[left, index + 0.2]],
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
      data: [[right, index + 0.2]],
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
