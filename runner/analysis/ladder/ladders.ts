import { decidingMetric, type Experiment } from '../../contract/experiment/schema.ts';
import type { Ladder, LadderOfVariant, LadderPoint, LatencyTarget } from '../../contract/ladder.ts';
import type { Metric } from '../../contract/metric.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import { type Grouped, variantsAt } from '../../experiment/groups.ts';
import { comparedLevels } from '../../experiment/plan/design.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { isWithheld, valueOf } from '../../metrics/value.ts';
import { bestByHalves, findKnee, kneeInterval, type LadderBlock, reachWithin } from '../../statistics/knee.ts';
import type { Interval } from '../../statistics/exact-interval.ts';
import { hodgesLehmann, signedRankInterval } from '../../statistics/signed-rank.ts';
import { toolOf } from '../../workloads/registry.ts';

/** The share of the best throughput by which the knee may fall short of it. */
export const kneeTolerance = 0.05;

/** One axis with its values, from the lowest, and the values of the other axes. */
export interface Rungs {
  axis: string;
  values: number[];
  conditions: Level;
}

type Climbed = Grouped & Pick<Experiment, 'workload' | 'decision' | 'ladder'>;

/**
 * Throughput and latency of every variant over each axis of numbers.
 *
 * @param trials those that count
 */
export function climbLadders(experiment: Climbed, trials: readonly Trial[]): Ladder[] {
  const throughput = metricNamed(throughputOf(experiment));
  if (!throughput) return [];
  const { target } = experiment.ladder;
  const latency = latencyOf(experiment, trials);
  return rungsOf(experiment).map((rungs) => ({
    axis: rungs.axis,
    conditions: { ...rungs.conditions },
    throughput: throughput.name,
    latency: latency?.name ?? null,
    tolerance: kneeTolerance,
    ...(target && { target }),
    variants: variantsAt(experiment, rungs.conditions).map((variant) =>
      climb(
        { variant, rungs, throughput, latency, target, level: experiment.decision.level },
        trials.filter(({ conditions }) => conditions.variant === variant),
      ),
    ),
  }));
}

/** The axes along which throughput can be followed: those with several numbers. */
export function rungsOf(experiment: Grouped & Pick<Experiment, 'workload'>): Rungs[] {
  const levels = comparedLevels(experiment);
  return Object.keys(levels[0] ?? {}).flatMap((axis) => {
    const others = new Map(levels.map(({ [axis]: _, ...rest }) => [levelKey(rest), rest]));
    return [...others.values()].flatMap((conditions): Rungs[] => {
      const values = levels.flatMap(({ [axis]: value, ...rest }) =>
        typeof value === 'number' && levelKey(rest) === levelKey(conditions) ? [value] : [],
      );
      return values.length > 1 ? [{ axis, values: values.sort((a, b) => a - b), conditions }] : [];
    });
  });
}

/** The declared metric if it is one of throughput; otherwise that of the tool. */
export function throughputOf({ decision, workload }: Pick<Experiment, 'decision' | 'workload'>): string {
  return metricNamed(decidingMetric(decision))?.kind === 'rate'
    ? decidingMetric(decision)
    : toolOf(workload).throughput;
}

/** What each block measured at each value of the axis. */
export function blocksOf(trials: readonly Trial[], rungs: Rungs, metric: Metric): LadderBlock[] {
  return numberedBlocksOf(trials, rungs, metric).map(({ values }) => values);
}

/** The same, each with the number of its block; with replicas, there is one for each replica. */
function numberedBlocksOf(
  trials: readonly Trial[],
  { axis, values, conditions }: Rungs,
  metric: Metric,
): { block: number; values: LadderBlock }[] {
  const blocks = new Map<string, { block: number; values: (number | null)[] }>();
  const withheld = new Set<number>();
  for (const trial of trials) {
    const { replica, ...level } = levelOf(trial.conditions);
    const { [axis]: value, ...rest } = comparedLevel(level);
    const index = values.findIndex((one) => one === value);
    if (index < 0 || levelKey(rest) !== levelKey(conditions)) continue;
    const key = `${trial.block} ${replica ?? ''}`;
    const own = blocks.get(key) ?? { block: trial.block, values: values.map(() => null) };
    own.values[index] = positive(valueOf(metric, trial));
    if (isWithheld(metric, trial)) withheld.add(index);
    blocks.set(key, own);
  }
  // The other trials of the level are its faster ones.
  return [...blocks.values()].map((own) => ({
    ...own,
    values: own.values.map((value, index) => (withheld.has(index) ? null : value)),
  }));
}

function climb(
  request: {
    variant: string;
    rungs: Rungs;
    throughput: Metric;
    latency: Metric | undefined;
    target: LatencyTarget | undefined;
    level: number;
  },
  trials: readonly Trial[],
): LadderOfVariant {
  const { variant, rungs, throughput, latency, target, level } = request;
  const { values } = rungs;
  const numbered = numberedBlocksOf(trials, rungs, throughput);
  const rates = numbered.map((block) => block.values);
  const times = latency ? blocksOf(trials, rungs, latency) : [];
  const at = (index: number): number => values[index] ?? NaN;
  return {
    variant,
    points: values.map((value, index): LadderPoint => ({
      level: value,
      n: columnOf(rates, index).length,
      throughput: estimate(columnOf(rates, index), level),
      latency: estimate(columnOf(times, index), level),
    })),
    knee: kneeOf(rates, { at, level }),
    best: bestOf(numbered, at),
    atTarget: target ? reachTarget(trials, request, { ...target, rates }) : null,
  };
}

/** If throughput is best at the highest level that was measured, it may still rise: then there is no knee yet. */
function kneeOf(
  rates: readonly LadderBlock[],
  { at, level }: { at: (index: number) => number; level: number },
): LadderOfVariant['knee'] {
  const found = findKnee(rates, kneeTolerance);
  if (!found) return null;
  const highest = Math.max(...rates.map((block) => block.findLastIndex((value) => value !== null)));
  return {
    level: found.knee === highest ? null : at(found.knee),
    interval: levelsBetween(kneeInterval(rates, { tolerance: kneeTolerance, level }), at),
  };
}

/** Even and odd blocks are the two halves: halves by time would differ by drift. */
function bestOf(
  blocks: readonly { block: number; values: LadderBlock }[],
  at: (index: number) => number,
): LadderOfVariant['best'] {
  const halved = blocks.map(({ block, values }) => ({ half: block % 2 === 0 ? (1 as const) : (0 as const), values }));
  const found = bestByHalves(halved);
  const measured = found?.values.filter((value) => value !== null) ?? [];
  const centre = hodgesLehmann(measured.map(Math.log));
  if (!found || centre === null) return null;
  const chosen = [...new Set(found.chosen)].sort((a, b) => a - b);
  return { levels: chosen.map(at), value: Math.exp(centre), n: measured.length };
}

/** The highest level up to which all levels keep to the target, with its throughput. */
function reachTarget(
  trials: readonly Trial[],
  { rungs, level }: { rungs: Rungs; level: number },
  { metric, milliseconds, rates }: LatencyTarget & { rates: readonly LadderBlock[] },
): LadderOfVariant['atTarget'] {
  const timed = metricNamed(metric);
  const times = timed ? blocksOf(trials, rungs, timed) : [];
  const found = reachWithin(times, rates, { limit: milliseconds / 1000, level });
  const at = (index: number): number | null => rungs.values[index] ?? null;
  const { interval } = found;
  return {
    level: at(found.reach),
    levels: interval && { ...interval, low: at(interval.low), high: at(interval.high) },
    throughput: found.throughput,
    interval: found.throughputInterval,
  };
}

function levelsBetween(interval: Interval | null, at: (index: number) => number): Interval | null {
  return interval && { ...interval, low: at(interval.low), high: at(interval.high) };
}

function columnOf(blocks: readonly LadderBlock[], index: number): number[] {
  return blocks.flatMap((block) => block[index] ?? []);
}

function estimate(values: readonly number[], level: number): LadderPoint['throughput'] {
  const logs = values.map(Math.log);
  const centre = hodgesLehmann(logs);
  if (centre === null) return null;
  const interval = signedRankInterval(logs, level);
  return {
    value: Math.exp(centre),
    interval: interval && { ...interval, low: Math.exp(interval.low), high: Math.exp(interval.high) },
  };
}

/** The declared latency; if there is none, the first one that the trials have. */
function latencyOf({ decision, ladder }: Climbed, trials: readonly Trial[]): Metric | undefined {
  const names = [ladder.target?.metric, decidingMetric(decision), 'latency.p95', 'latency.average'];
  return names
    .flatMap((name) => (name === undefined ? [] : (metricNamed(name) ?? [])))
    .find((metric) => metric.kind === 'latency' && trials.some((trial) => valueOf(metric, trial) !== null));
}

function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}
