import { scaleLinear, scalePoint } from 'd3-scale';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import { comparedValue } from '../../metrics/value.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { levelPhrase } from '../../contract/trial.ts';
import { toolOf } from '../../workloads/registry.ts';
import { quantity } from '../../contract/format.ts';
import { softInk, variantStyle } from './colours.ts';
import type { Figure } from './figure.ts';
import { bottomAxis, clampToRange, leftAxis, rangeOf, ticksOf } from './axes.ts';
import { frameIn, isNarrow, line, mark, nameLines, type Point } from './plot.ts';
import { type ChartSubject, hollowWords } from './subject.ts';
import { metricScale, metricWords } from '../metric-words.ts';

/** One mark: the value of the declared metric in one trial. */
export interface BlockMark {
  trial: string;
  variant: string;
  block: number;
  attempt: number;
  value: number;
  counted: boolean;
}

const height = 300;

/** Draws every block with its trials: it shows whether the variants keep their distance while the machine drifts. */
export function blocksChart(subject: ChartSubject): Figure<BlockMark[]> | null {
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
  const clamped = clampToRange(data.filter(({ counted }) => counted).map(({ value }) => value));
  const heightOf = ({ value, counted }: BlockMark): number => (counted ? value : clamped(value)) / scale.divisor;
  const marksOf = (variant: string): BlockMark[] =>
    data.filter((one) => one.variant === variant).sort((a, b) => a.block - b.block || a.attempt - b.attempt);
  // With several candidates, a different attempt at a block may count for each.
  const together = blocks.flatMap((block) =>
    [...new Set(data.map(({ attempt }) => attempt))].map((attempt) =>
      data.filter((one) => one.counted && one.block === block && one.attempt === attempt),
    ),
  );

  return {
    title: `${label} block by block${levelPhrase(level)}`,
    caption: `Each column is one block, in time order; its trials ran ${experiment.definition.protocol.order === 'together' ? 'at the same time' : 'one after the other'}.${scale.unit === '' ? '' : ` In ${scale.unit}.`} The axis does not start at zero.${hollowWords(subject, 'Hollow and, if far off, at the edge')}`,
    alternative: variants
      .map(
        ({ name }) =>
          `${name}: ${
            marksOf(name)
              .map(
                ({ block, value, counted }) => `block ${block} ${quantity(value, kind)}${counted ? '' : ' (excluded)'}`,
              )
              .join(', ') || 'nothing measured'
          }.`,
      )
      .join(' '),
    data,
    namesVariants: 'if wide',
    draw: (width) => {
      const names = isNarrow(width) ? [] : variants.map(({ name }) => name);
      const frame = frameIn({ width, height }, names);
      const x = scalePoint(blocks, [frame.left, frame.right]).padding(0.5);
      const y = scaleLinear(rangeOf(data.map(heightOf)), [frame.bottom, frame.top]).nice(5);
      const pointOf = (one: BlockMark): Point => [x(one.block) ?? 0, y(heightOf(one))];
      return {
        height,
        marks: [
          ...leftAxis(frame, ticksOf(y, 5)),
          ...bottomAxis(frame, {
            ticks: blocks.map((one) => ({ at: x(one) ?? 0, words: String(one) })),
            name: 'block',
          }),
          ...together.map((own) => line(own.map(pointOf), { colour: softInk, width: 1.5 })),
          ...variants.flatMap(({ name }, index) =>
            marksOf(name).map((one) => mark(pointOf(one), variantStyle(index), { isHollow: !one.counted })),
          ),
          ...nameLines(
            names.flatMap((name) =>
              marksOf(name)
                .slice(-1)
                .map((last) => ({ name, at: pointOf(last) })),
            ),
          ),
        ],
      };
    },
  };
}
