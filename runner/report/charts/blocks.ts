import { decidingMetric } from '../../contract/experiment/schema.ts';
import { comparedValue } from '../../metrics/value.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { levelPhrase } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';
import { metricScale, metricWords } from '../words/metric-words.ts';
import type { Figure } from './render.ts';
import {
  type ChartSubject,
  hollow,
  hollowWords,
  ink,
  measuredAxis,
  quietAxis,
  roomForNames,
  shortName,
  softInk,
  variantLook,
} from './subject.ts';
import { clampToRange } from './clamp.ts';
import { quantity } from '../../contract/format.ts';

/** One mark: the value of the declared metric in one trial. */
export interface BlockMark {
  trial: string;
  variant: string;
  block: number;
  attempt: number;
  value: number;
  counted: boolean;
}

/** Draws every block with its trials: it shows whether the variants keep their distance while the machine drifts. */
export function blocksChart(subject: ChartSubject): Promise<Figure<BlockMark[]> | null> {
  return Promise.resolve(draw(subject));
}

function draw(subject: ChartSubject): Figure<BlockMark[]> | null {
  const { variants, trials, experiment, comparisons, counts, level } = subject;
  const metric = metricNamed(decidingMetric(experiment.definition.decision));
  if (!metric) return null;
  const { limit } = toolOf(experiment.definition.workload).shape(experiment.definition.workload);
  const { unit } = comparisons.find(({ primary }) => primary) ?? metric;
  const { label, kind } = metricWords({ metric: metric.name, unit });
  const data = trials.flatMap((trial): BlockMark[] => {
    const value = comparedValue(metric, trial, limit);
    if (value === null) return [];
    const { id, block, attempt, conditions } = trial;
    return [{ trial: id, variant: conditions.variant, block, attempt, value, counted: counts(trial) }];
  });
  if (data.length === 0) return null;

  const blocks = [...new Set(trials.map(({ block }) => block))].sort((a, b) => a - b);
  const scale = metricScale(
    metric.name,
    kind,
    data.map(({ value }) => value),
  );
  const own = (variant: string): BlockMark[] =>
    data.filter((mark) => mark.variant === variant).sort((a, b) => a.block - b.block || a.attempt - b.attempt);
  // With several candidates, a different attempt at a block may count for each.
  const attempts = Math.max(...data.map(({ attempt }) => attempt));
  const links = blocks.flatMap((block, index) =>
    Array.from({ length: attempts }, (_, attempt) => {
      const values = data
        .filter((mark) => mark.counted && mark.block === block && mark.attempt === attempt + 1)
        .map(({ value }) => value / scale.divisor);
      return values.length === 0
        ? []
        : [
            [index, Math.min(...values)],
            [index, Math.max(...values)],
            [index, '-'],
          ];
    }).flat(),
  );
  const drawn = clampToRange(data.filter(({ counted }) => counted).map(({ value }) => value));

  return {
    title: `${label} block by block${levelPhrase(level)}`,
    caption: `Each column is one block, in the order of time; its trials were measured ${experiment.definition.protocol.order === 'together' ? 'at the same time' : 'one after the other'}.${scale.unit === '' ? '' : ` In ${scale.unit}.`} The axis does not begin at zero.${hollowWords(subject, 'Hollow and, if far off, at the edge')}`,
    alternative: variants
      .map(
        ({ name }) =>
          `${name}: ${
            own(name)
              .map(
                ({ block, value, counted }) =>
                  `block ${block} ${quantity(value, kind)}${counted ? '' : ' (does not count)'}`,
              )
              .join(', ') || 'nothing measured'
          }.`,
      )
      .join(' '),
    data,
    namesVariants: 'if wide',
    height: () => 300,
    option: ({ narrow }) => ({
      grid: roomForNames(variants, narrow),
      xAxis: {
        ...quietAxis,
        type: 'category',
        data: blocks.map(String),
        splitLine: { show: false },
        name: 'block',
        nameLocation: 'middle',
        nameGap: 30,
      },
      yAxis: { ...measuredAxis(scale), scale: true },
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
              value: [blocks.indexOf(point.block), (point.counted ? point.value : drawn(point.value)) / scale.divisor],
              ...(point.counted ? {} : { itemStyle: hollow(colour) }),
              label: {
                show: !narrow && place === all.length - 1,
                position: 'right' as const,
                distance: 8,
                color: ink,
                formatter: () => shortName(name),
              },
            })),
            labelLayout: { moveOverlap: 'shiftY' as const },
          };
        }),
      ],
    }),
  };
}
