import { scaleLog, scalePoint } from 'd3-scale';
import { metricNamed } from '../../metrics/catalogue.ts';
import { levelPhrase } from '../../contract/trial.ts';
import { valueOf, valuesOf } from '../../metrics/value.ts';
import { median } from '../../statistics/summaries.ts';
import { inScale, quantity } from '../../contract/format.ts';
import { variantStyle } from './colours.ts';
import type { Figure } from './figure.ts';
import { bottomAxis, leftAxis, logTicksOf, rangeOf } from './axes.ts';
import { isNarrow, label, line, mark } from './plot.ts';
import { type ChartSubject, hollowWords } from './subject.ts';

const percentiles = ['latency.p50', 'latency.p95', 'latency.p99', 'latency.p999'].flatMap((name) => {
  const metric = metricNamed(name);
  return metric?.statistic === undefined ? [] : [{ metric, label: metric.statistic }];
});
const milli = { unit: 'ms', divisor: 0.001 };
const height = 320;

/** One variant's latencies at one percentile, in seconds. */
export interface PercentileMarks {
  variant: string;
  percentile: string;
  trials: { trial: string; value: number; counted: boolean }[];
  /** Median of the trials that count; null if there is none. */
  middle: number | null;
}

/** Draws latency percentiles of every trial, with the variants side by side, on a logarithmic axis. */
export function latencyChart(subject: ChartSubject): Figure<PercentileMarks[]> | null {
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
  const values = measured.flat().flatMap(({ trials: own }) => own.map(({ value }) => value));
  if (values.length === 0) return null;

  return {
    title: `Latency percentiles${levelPhrase(level)}`,
    caption: `Milliseconds, on a logarithmic axis. Small marks: single trials. Bars: medians of valid trials.${hollowWords(subject)}`,
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
    draw: (width) => {
      const frame = { left: 50, right: width - 12, top: 16, bottom: height - 34 };
      const x = scalePoint(
        percentiles.map(({ label }) => label),
        [frame.left, frame.right],
      ).padding(0.5);
      const y = scaleLog(
        rangeOf(values).map((value) => value / milli.divisor),
        [frame.bottom - 12, frame.top + 12],
      );
      const spread = Math.min(x.step() * 0.22, 34) * (variants.length > 2 ? 0.9 : 1.2);
      const isLabelled = !isNarrow(width) && variants.length === 2;
      const marks = measured.flatMap((own, index) => {
        const look = variantStyle(index);
        const side = index < variants.length / 2 ? -1 : 1;
        return own.flatMap(({ percentile, trials: all, middle }) => {
          const at = (x(percentile) ?? 0) + (index - (variants.length - 1) / 2) * spread;
          const single = all.map(({ value, counted }) =>
            mark([at, y(value / milli.divisor)], look, { size: 8, isFaint: true, isHollow: !counted }),
          );
          if (middle === null) return single;
          const level = y(middle / milli.divisor);
          const words = inScale(middle, { ...milli, decimals: middle < 0.01 ? 2 : middle < 0.1 ? 1 : 0 });
          return [
            ...single,
            line(
              [
                [at - 11, level],
                [at + 11, level],
              ],
              { colour: look.colour, width: 3 },
            ),
            ...(isLabelled ? [label({ words, at: [at + side * 18, level], anchor: side < 0 ? 'end' : 'start' })] : []),
          ];
        });
      });
      const ticks = percentiles.map(({ label: words }) => ({ at: x(words) ?? 0, words }));
      return { height, marks: [...leftAxis(frame, logTicksOf(y, 30)), ...bottomAxis(frame, { ticks }), ...marks] };
    },
  };
}
