import { levelWords } from '../../contract/trial.ts';
import { wholeSeconds } from '../../metrics/whole-seconds.ts';
import { median } from '../../statistics/quantiles.ts';
import { inScale, quantity } from '../words/quantities.ts';
import type { Figure } from './figure.ts';
import { ink, labelRoom, quietAxis, variantLook } from './style.ts';
import { type ChartSubject, hollowWords } from './subject.ts';

/** One line: transactions of every whole second of a trial, from its first one. */
export interface ThroughputLine {
  trial: string;
  variant: string;
  perSecond: readonly number[];
  counted: boolean;
}

/** More points than this are not seen on a page; neighbours are averaged. */
const mostPoints = 300;

/** Transactions of every second of every trial, aligned at their starts: whether a run is steady, and where it stalls. */
export async function throughputChart(subject: ChartSubject): Promise<Figure<ThroughputLine[]> | null> {
  const { variants, trials, counts, level } = subject;
  const data: ThroughputLine[] = [];
  // One after the other: the series of a long run do not fit into memory together.
  for (const trial of trials) {
    const perSecond = wholeSeconds((await subject.series(trial)).get('tps')).map(({ value }) => value);
    if (perSecond.length === 0) continue;
    data.push({ trial: trial.id, variant: trial.conditions.variant, perSecond, counted: counts(trial) });
  }
  const longest = Math.max(0, ...data.map(({ perSecond }) => perSecond.length));
  if (longest < 2) return null;
  const series = variants.map(({ name }) => ({
    variant: name,
    trials: data.filter(({ variant }) => variant === name),
  }));
  const step = Math.ceil(longest / mostPoints);

  const words = levelWords(level);

  return {
    title: `Throughput over time${words === '' ? '' : ` at ${words}`}`,
    caption: `Transactions per second since the start of each trial. Thin lines are single trials, thick ones the median of those that count${step > 1 ? `; each point averages ${step} seconds` : ''}. The first and last second of a trial are left out: they are not whole.${hollowWords(subject, 'Dotted')}`,
    alternative: series
      .map(({ variant, trials: own }) => {
        const seconds = own.filter(({ counted }) => counted).flatMap(({ perSecond }) => perSecond);
        if (seconds.length === 0) return `${variant}: nothing measured that counts.`;
        return `${variant}: between ${quantity(Math.min(...extremes(seconds)), 'rate')} and ${quantity(Math.max(...extremes(seconds)), 'rate')} transactions in a second, median ${quantity(median(seconds), 'rate')}.`;
      })
      .join(' '),
    data,
    namesVariants: true,
    height: 320,
    option: ({ narrow }) => ({
      grid: { left: 62, right: narrow ? 12 : labelRoom(variants.map(({ name }) => name)), top: 16, bottom: 48 },
      xAxis: {
        ...quietAxis,
        type: 'value',
        min: 0,
        max: longest,
        splitLine: { show: false },
        axisLabel: { ...quietAxis.axisLabel, showMaxLabel: false, hideOverlap: true },
        splitNumber: narrow ? 4 : 8,
        name: 'seconds since the start of the trial',
        nameLocation: 'middle',
        nameGap: 30,
      },
      yAxis: {
        ...quietAxis,
        type: 'value',
        min: 0,
        splitNumber: 4,
        axisLine: { show: false },
        axisLabel: {
          ...quietAxis.axisLabel,
          formatter: (value: number) =>
            inScale(value, { unit: '', divisor: 1, decimals: Number.isInteger(value) ? 0 : 1 }),
        },
      },
      series: series.flatMap(({ variant, trials: own }, index) => {
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
          data: points(perSecond, step),
        }));
        const counted = own.filter((line) => line.counted).map(({ perSecond }) => perSecond);
        const middle = Array.from({ length: Math.max(0, ...counted.map(({ length }) => length)) }, (_, second) =>
          median(counted.flatMap((seconds) => seconds[second] ?? [])),
        ).map((value) => value ?? 0);
        return [
          ...thin,
          {
            type: 'line' as const,
            silent: true,
            showSymbol: false,
            z: 4,
            lineStyle: { color: colour, width: 2.5 },
            data: points(middle, step),
            endLabel: { show: !narrow, formatter: () => variant, color: ink, distance: 8 },
            labelLayout: { moveOverlap: 'shiftY' as const },
          },
        ];
      }),
    }),
  };
}

/** Smallest and largest; a spread of hours of seconds as arguments would overflow the stack. */
function extremes(values: readonly number[]): number[] {
  if (values.length === 0) return [];
  return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
}

function points(seconds: readonly number[], step: number): [number, number][] {
  return Array.from({ length: Math.ceil(seconds.length / step) }, (_, index) => {
    const part = seconds.slice(index * step, (index + 1) * step);
    const mean = part.reduce((sum, value) => sum + value, 0) / part.length;
    return [index * step + 1, Math.round(mean * 10) / 10];
  });
}
