import type { Scope, Unit } from '../../contract/comparison.ts';
import { crossoversOf } from '../../contract/plan.ts';
import type { Experiment, WrittenExperiment } from '../../contract/experiment/schema.ts';
import { sharedServices } from '../../contract/experiment/variant.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { minPairs, minPairsFor, simultaneousLevel } from '../../statistics/exact-interval.ts';
import { firstWithIntervals, type Look, type LookPlan, planLooks } from '../../statistics/sequential.ts';
import { type FullTool, toolOf } from '../../workloads/registry.ts';
import { type ContrastAt, controlsOf, type Grouped, groupsOf } from '../groups.ts';
import { placeOf } from '../../places/registry.ts';
import { replicaAxis } from '../../contract/server.ts';
import type { Level } from '../../contract/trial.ts';
import { reason, type WithheldReason } from '../../contract/withheld.ts';

/** What may be claimed from an experiment, as far as its design decides it. */
export interface Design {
  /** What its numbers will hold for. */
  scope: Scope;
  /** Whether what other programs take of the load's machine is taken from a server, too. */
  sharesMachine: boolean;
  /** What one value of an estimate will come from. */
  unit: Unit;
  /** How many times a crossover exchanges the log volumes; 0 without one. */
  exchanges: number;
  /** Number of servers of each variant. */
  replicas: number;
  /** Whether the order is drawn by chance. Otherwise no interval has a level. */
  drawn: boolean;
  /** Why the design allows no verdict, however many blocks there are; each a phrase. */
  obstacles: WithheldReason[];
  /** Comparisons that are judged together: candidates times levels, without controls. */
  comparisons: number;
  /** Controls times levels, which are judged together, too. */
  controlled: number;
  /** Fewest blocks from which all of them can get a verdict; with `until`, those of the first look that can have one. */
  blocksForVerdict: number;
  /** Blocks after which the run may first stop: with `until`, the first look at which every comparison has an interval. */
  earliestStop: number;
}

type Designed = Grouped & Pick<WrittenExperiment, 'protocol' | 'decision' | 'workload'>;

export function designOf(experiment: Designed): Design {
  const { protocol, decision, workload } = experiment;
  const { order, until, blocks, replicas } = protocol;
  const exchanges = crossoversOf(protocol);
  const tool = toolOf(workload);
  const { offeredPerSecond, durationSeconds } = tool.shape(workload);
  const { comparisons, controlled } = familiesOf(experiment);
  const together = Math.max(comparisons, controlled);
  const look = firstVerdict(blocks, experiment);
  const needed = minPairsFor(simultaneousLevel(decision.level, together));
  // Pairs of instances are a sample of configurations only if they are enough for an interval.
  const unit = exchanges > 0 ? 'block-pair' : until === 'blocks' && replicas >= needed ? 'instance-pair' : 'block';
  const scopes = {
    'block-pair': 'hosts-cancelled',
    'instance-pair': 'configurations',
    block: 'these-instances',
  } as const;
  const { sharesMachine, isFound = false } = placeOf(experiment);
  return {
    scope: sharesMachine ? 'this-machine' : isFound ? foundScope(experiment) : scopes[unit],
    sharesMachine,
    unit,
    exchanges,
    replicas,
    drawn: order === 'random',
    obstacles: [
      ...(order === 'random' ? [] : [reason('order-not-random', orderObstacles[order])]),
      ...(offeredPerSecond === null ? [] : rateObstacles(decision.metric, tool)),
      ...lengthObstacles(decision.metric, durationSeconds),
    ],
    comparisons,
    controlled,
    blocksForVerdict: {
      'block-pair': 2 * pairsInCrossover(needed, exchanges),
      'instance-pair': 1,
      block: until === 'blocks' ? needed : (look?.blocks ?? minBlocks(experiment)),
    }[unit],
    earliestStop: look?.blocks ?? blocks,
  };
}

/** Of existing servers. */
function foundScope({ variants }: Designed): Scope {
  const isOne = sharedServices(variants).some(([, names]) => names.length === Object.keys(variants).length);
  return isOne ? 'one-server' : 'these-servers';
}

/** How many comparisons are judged together: those of the candidates, one at least, and those of the controls. */
function familiesOf(experiment: Designed): { comparisons: number; controlled: number } {
  const controls = controlsOf(experiment);
  const contrasts = plannedContrasts(experiment);
  const controlled = contrasts.filter(({ candidate }) => controls.includes(candidate)).length;
  return { comparisons: Math.max(1, contrasts.length - controlled), controlled };
}

/** The size of the larger of the two families: looks allow for both. */
export function togetherIn(experiment: Designed): number {
  const { comparisons, controlled } = familiesOf(experiment);
  return Math.max(comparisons, controlled);
}

export const lookPlans: Readonly<Record<Designed['protocol']['until'], LookPlan | null>> = {
  blocks: null,
  precision: 'even',
  verdict: 'early',
};

/** The first look at which every comparison can get a verdict; undefined if there are no looks, or none of them can. */
function firstVerdict(cap: number, experiment: Designed): Look | undefined {
  const plan = lookPlans[experiment.protocol.until];
  if (plan === null) return undefined;
  const comparisons = togetherIn(experiment);
  return firstWithIntervals(planLooks(cap, experiment.decision.level, { comparisons, plan }), comparisons);
}

/** The fewest blocks that `until` may have at most, so that every comparison can get a verdict at some look. */
export function minBlocks(experiment: Designed): number {
  let cap = minPairs;
  while (!firstVerdict(cap, experiment)) cap++;
  return cap;
}

/**
 * Fewest pairs of a crossover. If there are several exchanges, a host that changes may spoil any one of them, so the
 * pairs of the others must be enough.
 */
function pairsInCrossover(needed: number, exchanges: number): number {
  return exchanges > 1 ? exchanges * Math.ceil(needed / (exchanges - 1)) : needed;
}

/** Throughput under any name, and its inverse: a variant that keeps up shows the offered rate, however fast it is. */
function rateObstacles(metric: string, { throughput }: Pick<FullTool, 'throughput'>): WithheldReason[] {
  if (!['tps', 'runtime', throughput].includes(metric)) return [];
  const label = metricNamed(metric)?.label ?? metric;
  return [reason('given-rate', `the fixed rate determines ${label}, so ${label} cannot differ; declare a latency`)];
}

function lengthObstacles(metric: string, durationSeconds: number | null): WithheldReason[] {
  const { label = metric, minSeconds = 0 } = metricNamed(metric) ?? {};
  if (durationSeconds === null || durationSeconds >= minSeconds) return [];
  return [
    reason('short-trials', `trials of ${durationSeconds} s are too short for ${label}; use at least ${minSeconds} s`),
  ];
}

const orderObstacles = {
  fixed: 'the order is fixed, so drift within a block looks like an effect',
  together: 'all variants run at the same time, so the order is not random',
} as const;

/**
 * Every combination of the values of the axes; the first axis changes slowest. Without axes there is one empty level.
 */
export function levelsOf(axes: Record<string, readonly (string | number)[]>): Level[] {
  return Object.entries(axes).reduce<Level[]>(
    (levels, [name, values]) => levels.flatMap((level) => values.map((value) => ({ ...level, [name]: value }))),
    [{}],
  );
}

/**
 * The levels at which an experiment measures variants: on each of their replicas, at everything that its tool varies,
 * and in each group of a matrix. `variantsAt` says which variants are measured at a level.
 */
export function experimentLevels(experiment: Grouped & Pick<Experiment, 'protocol' | 'workload'>): Level[] {
  const { protocol, workload } = experiment;
  return inEachGroup(experiment, levelsOf({ ...replicaAxis(protocol.replicas), ...toolOf(workload).axes(workload) }));
}

/** All combinations of what the tool varies. */
export function toolLevels({ workload }: Pick<Experiment, 'workload'>): Level[] {
  return levelsOf(toolOf(workload).axes(workload));
}

/** The levels at which variants are compared: everything that the tool varies, in each group. Replicas are pooled. */
export function comparedLevels(experiment: Grouped & Pick<Experiment, 'workload'>): Level[] {
  return inEachGroup(experiment, toolLevels(experiment));
}

function inEachGroup(experiment: Grouped, levels: readonly Level[]): Level[] {
  return groupsOf(experiment).flatMap((group) => levels.map((level) => ({ ...group.level, ...level })));
}

/** Every candidate with the baseline of its group, at each level. */
export function plannedContrasts(experiment: Grouped & Pick<Experiment, 'workload'>): ContrastAt[] {
  const levels = toolLevels(experiment);
  return groupsOf(experiment).flatMap(({ baseline, variants, level: group }) =>
    variants
      .filter((variant) => variant !== baseline)
      .flatMap((candidate) => levels.map((level) => ({ baseline, candidate, level: { ...group, ...level } }))),
  );
}

/** Number of clients of the level that has the most. */
export function maxClients({ workload }: Pick<Experiment, 'workload'>): number {
  const tool = toolOf(workload);
  return Math.max(
    ...levelsOf(tool.axes(workload)).map((level) => tool.shape(tool.resolveLevel(workload, level)).clients),
  );
}
