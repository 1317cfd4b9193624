import { metricNamed } from '../../metrics/catalogue.ts';
import { levelPhrase } from '../../contract/trial.ts';
import { valueOf, valuesOf } from '../../metrics/value.ts';
import { median } from '../../statistics/summaries.ts';
import type { Figure } from './render.ts';
import { type ChartSubject, hollow, hollowWords, ink, quietAxis, ruleColour, variantLook } from './subject.ts';
import { inScale, quantity } from '../../contract/format.ts';

const percentiles = ['latency.p50', 'latency.p95', 'latency.p99', 'latency.p999'].flatMap((name) => {
  const metric = metricNamed(name);
  return metric ? [{ metric, label: metric.label.replace('latency ', '') }] : [];
});
const milli = { unit: 'ms', divisor: 0.001 };

/** One variant's latencies at one percentile, in seconds. */
export interface PercentileMarks {
  variant: string;
  percentile: string;
  trials: { trial: string; value: number; counted: boolean }[];
  /** Median of the trials that count; null if there is none. */
  middle: number | null;
}

/** Draws latency percentiles of every trial, with the variants side by side, on a logarithmic axis. */
export function latencyChart(subject: ChartSubject): Promise<Figure<PercentileMarks[]> | null> {
  return Promise.resolve(draw(subject));
}

function draw(subject: ChartSubject): Figure<PercentileMarks[]> | null {
  const { variants, trials, counts, level } = subject;
  const measured = variants.map(({ name: variant }) =>
    percentiles.map(({ metric, label }): PercentileMarks => {
      const variantTrials = trials.filter(({ conditions }) => conditions.variant === variant);
      const own = variantTrials.flatMap((trial) => {
        const value = valueOf(metric, trial);
        return value === null || value <= 0 ? [] : [{ trial: trial.id, value, counted: counts(trial) }];
      });
      const middle = median(valuesOf(metric, variantTrials.filter(counts)));
      return { variant, percentile: label, trials: own, middle };
    }),
  );
  if (measured.flat().every(({ trials: own }) => own.length === 0)) return null;

  return {
    title: `Latency percentiles${levelPhrase(level)}`,
    caption: `Milliseconds, on a logarithmic axis. Small marks are single trials, bars the medians of those that count.${hollowWords(subject)}`,
    alternative: variants
      .map(({ name }, index) => {
        const parts = (measured[index] ?? []).map(
          ({ percentile, middle }) => `${percentile} ${quantity(middle, 'latency')}`,
        );
        return `${name}, medians: ${parts.join(', ')}.`;
      })
      .join(' '),
    data: measured.flat(),
    namesVariants: 'never',
    height: () => 320,
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
              data: own.flatMap(({ trials: all }, place) =>
                all.map(({ value, counted }) => ({
                  value: [place, value / milli.divisor],
                  ...(counted ? {} : { itemStyle: hollow(colour) }),
                })),
              ),
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
