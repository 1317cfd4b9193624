import type { Experiment } from '../../contract/experiment/schema.ts';
import type { Ladder, LadderOfVariant, LadderPoint, LatencyTarget } from '../../contract/ladder.ts';
import type { Metric } from '../../contract/metric.ts';
import { comparedLevel, type Level, levelKey, levelOf, type Trial } from '../../contract/trial.ts';
import { comparedLevels } from '../../experiment/plan/levels.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { valueOf } from '../../metrics/value.ts';
import { findKnee, kneeInterval, type LadderBlock, levelCentres } from '../../statistics/knee.ts';
import { resampledInterval } from '../../statistics/resample.ts';
import { hodgesLehmann, signedRankInterval } from '../../statistics/signed-rank.ts';
import { toolOf } from '../../workloads/registry.ts';

/** Part of the best throughput that the knee may lack. */
export const kneeTolerance = 0.05;

/** One axis with its values, from the lowest, and the values of the others. */
export interface Rungs {
  axis: string;
  values: number[];
  conditions: Level;
}

type Climbed = Pick<Experiment, 'workload' | 'decision' | 'ladder' | 'variants'>;

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
    variants: Object.keys(experiment.variants).map((variant) =>
      climb(
        { variant, rungs, throughput, latency, target, level: experiment.decision.level },
        trials.filter(({ conditions }) => conditions.variant === variant),
      ),
    ),
  }));
}

/** The axes along which throughput can be followed: those with several numbers. */
export function rungsOf(experiment: Pick<Experiment, 'workload'>): Rungs[] {
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
  return metricNamed(decision.metric)?.kind === 'rate' ? decision.metric : toolOf(workload).throughput;
}

/** What each block measured at each value of the axis. */
export function blocksOf(
  trials: readonly Trial[],
  { axis, values, conditions }: Rungs,
  metric: Pick<Metric, 'name'>,
): LadderBlock[] {
  const blocks = new Map<string, (number | null)[]>();
  for (const trial of trials) {
    const { replica, ...level } = levelOf(trial.conditions);
    const { [axis]: value, ...rest } = comparedLevel(level);
    const index = values.findIndex((one) => one === value);
    if (index < 0 || levelKey(rest) !== levelKey(conditions)) continue;
    const key = `${trial.block} ${replica ?? ''}`;
    const own = blocks.get(key) ?? values.map(() => null);
    own[index] = positive(valueOf(metric, trial));
    blocks.set(key, own);
  }
  return [...blocks.values()];
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
  const rates = blocksOf(trials, rungs, throughput);
  const times = latency ? blocksOf(trials, rungs, latency) : [];
  const found = findKnee(rates, kneeTolerance);
  const interval = kneeInterval(rates, { tolerance: kneeTolerance, level });
  const at = (index: number): number => values[index] ?? NaN;
  return {
    variant,
    points: values.map((value, index): LadderPoint => ({
      level: value,
      n: columnOf(rates, index).length,
      throughput: estimate(columnOf(rates, index), level),
      latency: estimate(columnOf(times, index), level),
    })),
    knee: found && {
      level: at(found.knee),
      best: at(found.best),
      interval: interval && { ...interval, low: at(interval.low), high: at(interval.high) },
    },
    atTarget: target ? reachTarget(trials, request, { ...target, rates }) : null,
  };
}

/** The highest level up to which every level keeps to the target, with its throughput. */
function reachTarget(
  trials: readonly Trial[],
  { rungs, level }: { rungs: Rungs; level: number },
  { metric, milliseconds, rates }: LatencyTarget & { rates: readonly LadderBlock[] },
): LadderOfVariant['atTarget'] {
  const times = blocksOf(trials, rungs, { name: metric });
  const blocks = rates.map((block, index) => ({ rates: block, times: times[index] ?? [] }));
  const reach = (some: readonly (typeof blocks)[number][]): { index: number; throughput: number } | null => {
    const over = levelCentres(some.map((block) => block.times)).findIndex(
      (centre) => centre === null || Math.exp(centre) > milliseconds / 1000,
    );
    const index = (over < 0 ? rungs.values.length : over) - 1;
    const centre = levelCentres(some.map((block) => block.rates))[index] ?? null;
    return centre === null ? null : { index, throughput: Math.exp(centre) };
  };
  const found = reach(blocks);
  if (!found) return null;
  // A draw in which no level keeps to the target has no throughput at it.
  const interval = resampledInterval(blocks, (some) => reach(some)?.throughput ?? 0, level);
  return { level: rungs.values[found.index] ?? NaN, throughput: found.throughput, interval };
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

/** The declared latency, or else the first that the trials have. */
function latencyOf({ decision, ladder }: Climbed, trials: readonly Trial[]): Metric | undefined {
  const names = [ladder.target?.metric, decision.metric, 'latency.p95', 'latency.average'];
  return names
    .flatMap((name) => (name === undefined ? [] : (metricNamed(name) ?? [])))
    .find((metric) => metric.kind === 'latency' && trials.some((trial) => valueOf(metric, trial) !== null));
}

function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}
