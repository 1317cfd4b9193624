import type { FinishedTrial, Result } from '../../contract/result.ts';
import { inScale, quantity } from '../words/quantities.ts';
import type { Figure } from './figure.ts';
import { ink, labelRoom, quietAxis, variantLook } from './style.ts';
import { median } from '../../statistics/quantiles.ts';

interface Series {
  variant: string;
  /** Transactions per second; index 0 is the first whole second of the trial. */
  trials: number[][];
}

/** More points than this are not seen on a page; neighbours are averaged. */
const mostPoints = 300;

/** Transactions of every second of every trial, aligned at their starts: whether a run is steady, and where it stalls. */
export function throughputFigure({ variants, trials }: Result): Figure | null {
  const series = variants.map(({ name }): Series => ({
    variant: name,
    trials: trials.flatMap((trial) =>
      trial.state === 'finished' && trial.variant === name && trial.latency ? [wholeSeconds(trial)] : [],
    ),
  }));
  const longest = Math.max(0, ...series.flatMap((each) => each.trials.map(({ length }) => length)));
  if (longest < 2) return null;
  const step = Math.ceil(longest / mostPoints);

  return {
    title: 'Throughput over time',
    caption: `Transactions per second since the start of each trial. Thin lines are single trials, thick ones their median${step > 1 ? `; each point averages ${step} seconds` : ''}. The first and last second of a trial are left out where they are not whole.`,
    alternative: series
      .map(({ variant, trials: own }) => {
        const seconds = own.flat();
        if (seconds.length === 0) return `${variant}: nothing measured.`;
        return `${variant}: between ${quantity(Math.min(...extremes(seconds)), 'rate')} and ${quantity(Math.max(...extremes(seconds)), 'rate')} transactions in a second, median ${quantity(median(seconds), 'rate')}.`;
      })
      .join(' '),
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
        const thin = own.map((seconds) => ({
          type: 'line' as const,
          silent: true,
          showSymbol: false,
          lineStyle: { color: colour, width: 1, opacity: 0.35 },
          data: points(seconds, step),
        }));
        const middle = Array.from({ length: Math.max(0, ...own.map(({ length }) => length)) }, (_, second) =>
          median(own.flatMap((seconds) => seconds[second] ?? [])),
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

/** Without the first and the last second, in which the trial did not run all the time; a second without any is a zero. */
function wholeSeconds({ latency }: FinishedTrial): number[] {
  const counted = new Map(latency?.perSecond.map(({ second, transactions }) => [second, transactions]));
  const first = Math.min(...extremes([...counted.keys()]));
  const last = Math.max(...extremes([...counted.keys()]));
  if (!Number.isFinite(first) || last - first < 4) return [...counted.values()];
  return Array.from({ length: last - first - 1 }, (_, index) => counted.get(first + 1 + index) ?? 0);
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
