import type { Result } from '../../contract/result.ts';
import { trialValue } from '../words/metrics.ts';
import { inScale, quantity } from '../words/quantities.ts';
import type { Figure } from './figure.ts';
import { ink, quietAxis, ruleColour, variantLook } from './style.ts';
import { median } from '../../statistics/quantiles.ts';

const percentiles = [
  { metric: 'latency.p50', label: 'p50' },
  { metric: 'latency.p95', label: 'p95' },
  { metric: 'latency.p99', label: 'p99' },
  { metric: 'latency.p999', label: 'p99.9' },
];
const milli = { unit: 'ms', divisor: 0.001 };

/** Latency percentiles of every trial, side by side for the variants, on a logarithmic axis. */
export function latencyFigure({ variants, trials }: Result): Figure | null {
  const values = (variant: string, metric: string) =>
    trials.flatMap((trial) => {
      const value = trial.state === 'finished' && trial.variant === variant ? trialValue(trial, metric) : null;
      return value === null || value <= 0 ? [] : [value];
    });
  const measured = variants.map(({ name }) =>
    percentiles.map(({ metric, label }) => ({
      label,
      trials: values(name, metric),
      middle: median(values(name, metric)),
    })),
  );
  if (measured.flat().every(({ middle }) => middle === null)) return null;

  return {
    title: 'Latency percentiles',
    caption: 'Milliseconds, on a logarithmic axis. Small marks are single trials, bars their medians.',
    alternative: variants
      .map(({ name }, index) => {
        const parts = (measured[index] ?? []).map(({ label, middle }) => `${label} ${quantity(middle, 'latency')}`);
        return `${name}: ${parts.join(', ')}.`;
      })
      .join(' '),
    height: 320,
    option: ({ narrow, width }) => {
      const slot = (width - 70) / percentiles.length;
      const spread = Math.min(slot * 0.22, 34);
      return {
        grid: { left: 50, right: 12, top: 16, bottom: 34 },
        xAxis: {
          ...quietAxis,
          type: 'category',
          data: percentiles.map(({ label }) => label),
          splitLine: { show: false },
        },
        yAxis: {
          ...quietAxis,
          type: 'log',
          axisLine: { show: false },
          minorSplitLine: { show: true, lineStyle: { color: ruleColour, opacity: 0.5 } },
          minorTick: { splitNumber: 10 },
          axisLabel: { ...quietAxis.axisLabel, formatter: (value: number) => value.toLocaleString('en-US') },
        },
        series: variants.flatMap((_, index) => {
          const { colour, symbol } = variantLook(index);
          const offset = (index - (variants.length - 1) / 2) * spread * (variants.length > 2 ? 0.9 : 1.2);
          const side = index < variants.length / 2 ? ('left' as const) : ('right' as const);
          const own = measured[index] ?? [];
          return [
            {
              type: 'scatter' as const,
              silent: true,
              symbol,
              symbolSize: 8,
              symbolOffset: [offset, 0],
              itemStyle: { color: colour, opacity: 0.55 },
              data: own.flatMap(({ trials: all }, place) => all.map((value) => [place, value / milli.divisor])),
            },
            {
              type: 'scatter' as const,
              silent: true,
              symbol: 'rect',
              symbolSize: [24, 3],
              symbolOffset: [offset, 0],
              itemStyle: { color: colour, opacity: 1 },
              z: 3,
              data: own.flatMap(({ middle }, place) =>
                middle === null
                  ? []
                  : [
                      {
                        value: [place, middle / milli.divisor],
                        label: {
                          show: !narrow && variants.length === 2,
                          position: side,
                          distance: 6,
                          color: ink,
                          formatter: inScale(middle, { ...milli, decimals: middle < 0.01 ? 2 : middle < 0.1 ? 1 : 0 }),
                        },
                      },
                    ],
              ),
            },
          ];
        }),
      };
    },
  };
}
