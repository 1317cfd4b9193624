import type { Result } from '../../contract/result.ts';
import { metricWords, trialValue } from '../words/metrics.ts';
import { inScale, quantity, scaleFor } from '../words/quantities.ts';
import type { Figure } from './figure.ts';
import { ink, labelRoom, quietAxis, softInk, variantLook } from './style.ts';

/** Every block with the trials in it: whether the variants keep their distance while the machine drifts. */
export function blocksFigure({ variants, trials, experiment, comparisons }: Result): Figure | null {
  const { metric, unit } = comparisons.find(({ primary }) => primary) ?? {
    ...experiment.definition.decision,
    unit: '',
  };
  const { label, kind } = metricWords({ metric, unit });
  const points = trials.flatMap((trial) => {
    const value = trial.state === 'finished' ? trialValue(trial, metric, unit) : null;
    return value === null ? [] : [{ block: trial.block, variant: trial.variant, value }];
  });
  if (points.length === 0) return null;

  const blocks = [...new Set(trials.map(({ block }) => block))].sort((a, b) => a - b);
  const scale = scaleFor(
    kind,
    points.map(({ value }) => value),
  );
  const own = (variant: string) => points.filter((point) => point.variant === variant);
  const links = blocks.flatMap((block, index) => {
    const values = points.filter((point) => point.block === block).map(({ value }) => value / scale.divisor);
    return [
      [index, Math.min(...values)],
      [index, Math.max(...values)],
      [index, '-'],
    ];
  });

  return {
    title: `${label} block by block`,
    caption: `Each column is one block, in the order of time; its trials were measured ${experiment.definition.protocol.order === 'together' ? 'at the same time' : 'one after the other'}.${scale.unit === '' ? '' : ` In ${scale.unit}.`} The axis does not begin at zero.`,
    alternative: variants
      .map(
        ({ name }) =>
          `${name}: ${
            own(name)
              .map(({ block, value }) => `block ${block} ${quantity(value, kind)}`)
              .join(', ') || 'nothing measured'
          }.`,
      )
      .join(' '),
    height: 300,
    option: ({ narrow }) => ({
      grid: { left: 62, right: narrow ? 12 : labelRoom(variants.map(({ name }) => name)), top: 16, bottom: 48 },
      xAxis: {
        ...quietAxis,
        type: 'category',
        data: blocks.map(String),
        splitLine: { show: false },
        name: 'block',
        nameLocation: 'middle',
        nameGap: 30,
      },
      yAxis: {
        ...quietAxis,
        type: 'value',
        scale: true,
        splitNumber: 4,
        axisLine: { show: false },
        axisLabel: {
          ...quietAxis.axisLabel,
          formatter: (value: number) =>
            inScale(value * scale.divisor, { ...scale, decimals: Number.isInteger(value) ? 0 : 1 }),
        },
      },
      series: [
        {
          type: 'line',
          silent: true,
          showSymbol: false,
          lineStyle: { color: softInk, width: 1.5 },
          data: links,
        },
        ...variants.map(({ name }, index) => {
          const { colour, symbol } = variantLook(index);
          return {
            type: 'scatter' as const,
            silent: true,
            symbol,
            symbolSize: 13,
            itemStyle: { color: colour, opacity: 1 },
            z: 3,
            data: own(name).map((point, place, all) => ({
              value: [blocks.indexOf(point.block), point.value / scale.divisor],
              label: {
                show: !narrow && place === all.length - 1,
                position: 'right' as const,
                distance: 8,
                color: ink,
                formatter: () => name,
              },
            })),
            labelLayout: { moveOverlap: 'shiftY' as const },
          };
        }),
      ],
    }),
  };
}
