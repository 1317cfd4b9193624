import type { Warning } from '../../contract/warnings.ts';
import {
  beginsWithCrossover,
  crossoversOf,
  type MeasureStep,
  periodsOf,
  type Plan,
  type PlannedTrial,
  type Step,
} from '../../contract/plan.ts';
import type { Experiment } from '../../contract/experiment/schema.ts';
import { namedServices } from '../../contract/experiment/variant.ts';
import { type Conditions, levelOf } from '../../contract/trial.ts';
import { wordsOfLoad } from '../../workloads/of-variants.ts';
import { toolOf } from '../../workloads/registry.ts';
import { variantsAt } from '../groups.ts';
import { differencesOf } from './differences.ts';
import { designOf, experimentLevels } from './design.ts';
import { expectDurations, keepsData, restoresData, type Speeds } from './durations.ts';
import { tailOfPlan } from './tail.ts';
import { drawBlocks, drawPhases } from './draws.ts';

/**
 * Expands an experiment into a plan. It is pure: the same experiment, profile and seed give the same plan.
 *
 * @param measured how fast things were in an earlier run; it changes only expected times
 */
export function makePlan(
  experiment: Experiment,
  profile: string,
  warnings: readonly Warning[] = [],
  measured: Partial<Speeds> = {},
): Plan {
  const { protocol, workload } = experiment;
  const tool = toolOf(workload);
  const shape = tool.shape(workload);
  const variants = Object.keys(experiment.variants);
  const levels = experimentLevels(experiment);
  const durations = expectDurations(experiment, measured);
  const tail = tailOfPlan(experiment, measured);
  const resetSeconds = sum(durations.resetSteps.map(({ expectedSeconds }) => expectedSeconds));
  const width = Math.max(2, String(protocol.blocks).length);
  const places = String(levels.flatMap((level) => variantsAt(experiment, level)).length).length;
  const phases = drawPhases(protocol);
  const services = namedServices(experiment.variants).map(([service, names]) => ({ service, variants: names }));

  const settle: Step[] =
    protocol.settleSeconds > 0 ? [{ kind: 'settle', expectedSeconds: protocol.settleSeconds }] : [];
  const snapshot: Step[] = keepsData(experiment)
    ? [{ kind: 'snapshot', variants: [experiment.baseline], expectedSeconds: durations.snapshotSeconds }]
    : [];
  const keepCopy = protocol.reset.includes('restore');
  const prepare = Object.fromEntries(
    Object.entries(experiment.variants).flatMap(([name, { prepare: sql }]) => (sql ? [[name, sql]] : [])),
  );
  const preparing = Object.keys(prepare).length > 0 ? { prepare } : {};
  const steps: Step[] = [
    { kind: 'create', variants, expectedSeconds: durations.createSeconds },
    restoresData(experiment)
      ? { kind: 'touch', variants, keepCopy, ...preparing, expectedSeconds: durations.touchSeconds }
      : {
          kind: 'load',
          variants,
          keepCopy,
          ...preparing,
          expectedSeconds: sum(variants.map(() => durations.loadSeconds)),
        },
    ...settle,
    ...snapshot,
    ...measureSteps(),
  ];

  /** The steps from the first trial on. */
  function measureSteps(): Step[] {
    const { blocks } = protocol;
    const draw = (count: number, from: number, period?: number): Step[] =>
      drawBlocks((level) => variantsAt(experiment, level), levels, { ...protocol, blocks: count }, experiment.ladder, {
        firstBlock: from + 1,
        period,
      }).flatMap((positions, block) =>
        positions.map((together, position) => measureStep(from + block + 1, position + 1, together, period)),
      );
    const periods = periodsOf(crossoversOf(protocol));
    if (periods.length === 0) return draw(blocks, 0);
    const count = blocks / periods.length;
    const { crossoverSeconds: expectedSeconds } = durations;
    return periods.flatMap((period) => [
      // The servers were just restarted, as after loading, so they settle again.
      ...(beginsWithCrossover(period)
        ? [{ kind: 'cross-over', period, variants, expectedSeconds } satisfies Step, ...settle]
        : []),
      ...draw(count, (period - 1) * count, period),
    ]);
  }

  function measureStep(
    block: number,
    position: number,
    together: readonly Conditions[],
    period: number | undefined,
  ): MeasureStep {
    const warmUpSeconds = protocol.warmUpSeconds + (phases[block - 1] ?? 0);
    const trialSeconds = longest(together.map((conditions) => durations.trialSeconds(levelOf(conditions))));
    return {
      kind: 'measure',
      block,
      position,
      attempt: 1,
      ...(period === undefined ? {} : { period }),
      trials: together.map((conditions): PlannedTrial => {
        // The name of a variant ends with that of its group.
        const { group: _, ...level } = levelOf(conditions);
        const names = [...Object.entries(level).flat(), conditions.variant];
        return {
          id: `block-${String(block).padStart(width, '0')}-${String(position).padStart(places, '0')}-${names.join('-')}`,
          conditions,
        };
      }),
      reset: protocol.reset,
      warmUpSeconds,
      trialSeconds,
      expectedSeconds: sum([resetSeconds, warmUpSeconds, trialSeconds]),
    };
  }

  const { scope, unit, exchanges, comparisons, blocksForVerdict, earliestStop, obstacles } = designOf(experiment);
  return {
    experiment: experiment.name,
    profile,
    question: experiment.question,
    seed: protocol.seed,
    baseline: experiment.baseline,
    variants,
    ...(experiment.groups && { groups: experiment.groups }),
    ...(services.length > 0 && { services }),
    differences: differencesOf(experiment.variants),
    replicas: protocol.replicas,
    levels,
    ladder: { order: experiment.ladder.order, stopPastKneeAfter: experiment.ladder.stopPastKneeAfter ?? null },
    order: protocol.order,
    blocks: protocol.blocks,
    until: protocol.until,
    transactionsPerTrial: shape.transactions,
    workload: wordsOfLoad(experiment).facts,
    resetSteps: durations.resetSteps,
    claims: { scope, unit, exchanges, comparisons, blocksForVerdict, earliestStop, obstacles },
    steps,
    expectedSeconds: sum(steps.map((step) => step.expectedSeconds)),
    assumptions: [...durations.assumptions, ...tail.assumptions],
    warnings: [...warnings, ...tail.warnings],
  };
}

/**
 * A position of a block, as it is measured in one attempt at the block. The ids of its trials are new: no other trial
 * has them, not even one that was cut off.
 *
 * @param begun ids of all trials begun so far
 */
export function stepInAttempt(step: MeasureStep, attempt: number, begun: ReadonlySet<string>): MeasureStep {
  const idOf = (id: string, number: number): string => (number === 1 ? id : `${id}-repeat-${number}`);
  const trials = step.trials.map((trial) => {
    let number = attempt;
    while (begun.has(idOf(trial.id, number))) number++;
    return { ...trial, id: idOf(trial.id, number) };
  });
  return { ...step, attempt, trials };
}

/** The sum; null if any part is not known. */
function sum(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>((total, part) => (total === null || part === null ? null : total + part), 0);
}

function longest(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>((max, part) => (max === null || part === null ? null : Math.max(max, part)), 0);
}

/** Expected seconds from the start of a step or trial to the end of the plan; null if they cannot be foreseen. */
export function remainingSeconds(plan: Plan): {
  fromStep: (step: Step) => number | null;
  fromTrial: (id: string) => number | null;
} {
  let total: number | null = 0;
  const steps = new Map<Step, number | null>();
  const trials = new Map<string, number | null>();
  for (const step of [...plan.steps].reverse()) {
    total = total === null || step.expectedSeconds === null ? null : total + step.expectedSeconds;
    steps.set(step, total);
    if (step.kind === 'measure') for (const { id } of step.trials) trials.set(id, total);
  }
  return { fromStep: (step) => steps.get(step) ?? null, fromTrial: (id) => trials.get(id) ?? null };
}
