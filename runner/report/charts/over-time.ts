import type { SeriesPoint } from '../../contract/metric.ts';
import { ofLevel } from '../../contract/trial.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { wholeSeconds } from '../../metrics/whole-seconds.ts';
import { median } from '../../statistics/summaries.ts';
import { labelWithUnit, metricScale } from '../words/metric-words.ts';
import { inScale } from '../words/quantities.ts';
import { checkpointStrip } from './checkpoint-strip.ts';
import type { Figure } from './render.ts';
import {
  type Chart,
  type ChartSubject,
  hollowWords,
  ink,
  measuredAxis,
  quietAxis,
  roomForNames,
  shortName,
  variantLook,
} from './subject.ts';

/**
 * One line: a value for every whole second of a trial, from the first one on, in base units; null for a second without
 * a value.
 */
export interface TrialLine {
  trial: string;
  variant: string;
  perSecond: readonly (number | null)[];
  counted: boolean;
}

/** Pixels between the words of the axis and the strip of checkpoints. */
const stripGap = 6;

/**
 * Draws the series of one metric: a line for each trial, all beginning at the same point, and for each variant the median
 * of the trials that count.
 *
 * @param title such as `Throughput over time`
 * @returns null if no trial has two seconds of the metric
 */
async function overTime(
  subject: ChartSubject,
  { metric: name, title }: { metric: string; title: string },
): Promise<Figure<TrialLine[]> | null> {
  const { variants, trials, counts, level } = subject;
  const data: TrialLine[] = [];
  // One trial after another: the series of a long run do not fit into memory together.
  for (const trial of trials) {
    const perSecond = bySecond(wholeSeconds((await subject.series(trial)).get(name)));
    if (perSecond.length === 0) continue;
    data.push({ trial: trial.id, variant: trial.conditions.variant, perSecond, counted: counts(trial) });
  }
  const longest = Math.max(0, ...data.map(({ perSecond }) => perSecond.length));
  if (longest < 2) return null;
  const series = variants.map(({ name: variant }) => {
    const own = data.filter((line) => line.variant === variant);
    return { variant, trials: own, middle: mediansOf(own.filter((line) => line.counted)) };
  });
  const step = secondsPerPoint(longest);
  const { label, kind } = metricNamed(name) ?? { label: name, kind: 'rate' as const };
  const counted = data.filter((line) => line.counted).map(({ perSecond }) => known(perSecond));
  const scale = metricScale(name, kind, counted.map(median));
  const reachable = withinReach([0, ...counted.flat()]);
  const strip = checkpointStrip(subject, longest);
  const drawn = (value: number | null): number | null => (value === null ? null : reachable(value));

  return {
    title: `${title}${ofLevel(level)}`,
    caption: `${labelWithUnit({ label, per: '' }, scale)} by the second since the start of each trial. Thin lines are single trials, thick ones the median of those that count${step > 1 ? `; each point averages ${step} seconds` : ''}. The first and last second of a trial are left out: they are not whole.${hollowWords(subject, 'Dotted and, if far off, at the edge')}${strip?.words ?? ''}`,
    alternative: series
      .map(({ variant, trials: own }) => {
        const seconds = own.filter((line) => line.counted).flatMap(({ perSecond }) => known(perSecond));
        if (seconds.length === 0) return `${variant}: nothing measured that counts.`;
        const [low, high] = extremes(seconds);
        return `${variant}: between ${inScale(low, scale)} and ${inScale(high, scale)} in a second, median ${inScale(median(seconds), scale)}.`;
      })
      .join(' '),
    data,
    namesVariants: true,
    height: 280 + (strip ? strip.height + stripGap : 0),
    option: ({ narrow }) => ({
      ...axes(narrow),
      series: [
        ...(strip?.series ?? []),
        ...series.flatMap(({ variant, trials: own, middle }, index) => {
          const { colour } = variantLook(index);
          const thin = own.map(({ perSecond, counted }) => ({
            type: 'line' as const,
            silent: true,
            showSymbol: false,
            lineStyle: {
              color: colour,
              width: 1,
              opacity: 0.35,
              type: counted ? ('solid' as const) : ('dotted' as const),
            },
            data: points(counted ? perSecond : perSecond.map(drawn), step, scale.divisor),
          }));
          return [
            ...thin,
            {
              type: 'line' as const,
              silent: true,
              showSymbol: false,
              z: 4,
              lineStyle: { color: colour, width: 2.5 },
              data: points(middle, step, scale.divisor),
              endLabel: { show: !narrow, formatter: () => shortName(variant), color: ink, distance: 8 },
              labelLayout: { moveOverlap: 'shiftY' as const },
            },
          ];
        }),
      ],
    }),
  };

  function axes(narrow: boolean) {
    const room = roomForNames(variants, narrow);
    const seconds = {
      ...quietAxis,
      type: 'value' as const,
      min: 0,
      max: longest,
      splitLine: { show: false },
      splitNumber: narrow ? 4 : 8,
      axisLabel: { ...quietAxis.axisLabel, showMaxLabel: false, hideOverlap: true },
      name: 'seconds since the start of the trial',
      nameLocation: 'middle' as const,
      nameGap: 30,
    };
    const measured = { ...measuredAxis(scale), min: 0 };
    if (!strip) return { grid: room, xAxis: seconds, yAxis: measured };
    const below = { ...room, top: undefined, bottom: 0, height: strip.height };
    return {
      grid: [{ ...room, bottom: room.bottom + strip.height + stripGap }, below],
      xAxis: [seconds, { ...seconds, gridIndex: 1, show: false }],
      yAxis: [measured, strip.yAxis],
    };
  }
}

/** The median of these trials in every second. */
function mediansOf(lines: readonly TrialLine[]): (number | null)[] {
  const longest = Math.max(0, ...lines.map(({ perSecond }) => perSecond.length));
  return Array.from({ length: longest }, (_, second) =>
    median(lines.flatMap(({ perSecond }) => perSecond[second] ?? [])),
  );
}

/** The values of consecutive seconds; null for a second without a value. */
function bySecond(points: readonly SeriesPoint[]): (number | null)[] {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return [];
  const values = new Map(points.map(({ second, value }) => [Math.round(second - first.second), value]));
  return Array.from({ length: Math.round(last.second - first.second) + 1 }, (_, second) => values.get(second) ?? null);
}

function known(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}

/** The smallest and the largest value. The seconds of several hours, passed as arguments, would overflow the stack. */
function extremes(values: readonly number[]): [number, number] {
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

function points(
  seconds: readonly (number | null)[],
  step: number,
  divisor: number,
): [second: number, value: number | '-'][] {
  return averagedSeconds(seconds, step).map(({ first, mean }) => [
    first + 1,
    mean === null ? '-' : Number((mean / divisor).toPrecision(4)),
  ]);
}

/** Mean latency of every second. Throughput shows a stall as a dip; this shows how long its transactions waited. */
export const latencyOverTimeChart: Chart<TrialLine[]> = (subject) =>
  overTime(subject, { metric: 'latency.average', title: 'Latency over time' });

/** Transactions of every second: they show whether a run is steady, and where it stalls. */
export const throughputChart: Chart<TrialLine[]> = (subject) =>
  overTime(subject, { metric: 'tps', title: 'Throughput over time' });

/** A page cannot show more points than this. If there are more, neighbours are averaged. */
const mostPoints = 300;

/** How many seconds each point averages. */
export function secondsPerPoint(seconds: number): number {
  return Math.ceil(seconds / mostPoints);
}

/** A point of a line over time. */
export interface AveragedSeconds {
  /** Index of its first second. */
  first: number;
  seconds: number;
  /** null if none of its seconds has a value. */
  mean: number | null;
}

/** @param perSecond null for a second without a value */
export function averagedSeconds(perSecond: readonly (number | null)[], perPoint: number): AveragedSeconds[] {
  return Array.from({ length: Math.ceil(perSecond.length / perPoint) }, (_, index) => {
    const part = perSecond.slice(index * perPoint, (index + 1) * perPoint);
    const known = part.filter((value) => value !== null);
    const mean = known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
    return { first: index * perPoint, seconds: part.length, mean };
  });
}

/**
 * Returns the place at which to draw a value that does not count, since such a value must not squeeze the counted
 * values together. A value that is farther outside their range than the range is wide is drawn at that distance.
 *
 * @param counted the values that set the axis; if there are none, every value is drawn at its own place
 */
export function withinReach(counted: readonly number[]): (value: number) => number {
  if (counted.length === 0) return (value) => value;
  const low = counted.reduce((a, b) => Math.min(a, b));
  const high = counted.reduce((a, b) => Math.max(a, b));
  const reach = high > low ? high - low : Math.abs(high) / 10;
  return (value) => Math.min(high + reach, Math.max(low - reach, value));
}
