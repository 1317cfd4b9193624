import { expectDurations, type Assumption, type ResetDuration } from './durations.ts';
import { drawOrders } from './order.ts';
import type { Experiment, ResetStep } from '../../contract/experiment/schema.ts';
import { describeMix, type ScriptShare, scriptShares } from '../../workloads/pgbench/script-mix.ts';

/** What will be done, in this order. Durations in seconds; null where nobody can foretell. */
export interface Plan {
  experiment: string;
  profile: string;
  question: string;
  seed: number;
  baseline: string;
  variants: string[];
  order: Experiment['protocol']['order'];
  /** With `until: precision` at most so many. */
  blocks: number;
  until: Experiment['protocol']['until'];
  /** Of one trial of one variant, over all clients; null for a trial that is limited by time. */
  transactionsPerTrial: number | null;
  scripts: ScriptShare[];
  /** The scripts in words, such as "half tpcb-like, half simple-update". */
  mix: string;
  /** What each step of the reset before every trial costs in time. */
  resetSteps: ResetDuration[];
  steps: Step[];
  expectedSeconds: number | null;
  assumptions: Assumption[];
  warnings: string[];
}

export type Step = CreateStep | LoadStep | SettleStep | CrossOverStep | MeasureStep;

interface CreateStep {
  kind: 'create';
  variants: string[];
  expectedSeconds: number;
}

interface LoadStep {
  kind: 'load';
  variants: string[];
  /** Whether what was loaded is to be restored before each trial. */
  keepCopy: boolean;
  expectedSeconds: number;
}

interface SettleStep {
  kind: 'settle';
  expectedSeconds: number;
}

/** The log volumes change places. */
interface CrossOverStep {
  kind: 'cross-over';
  variants: string[];
  expectedSeconds: number;
}

/** One place of one block: one trial, or with `order: together` one trial of each variant at the same time. */
export interface MeasureStep {
  kind: 'measure';
  block: number;
  /** Place in the block, from 1. */
  position: number;
  /** Of a crossover: 2 where the log volumes have changed places; absent where they never do. */
  period?: 1 | 2;
  trials: PlannedTrial[];
  reset: ResetStep[];
  warmUpSeconds: number;
  /** Of the measured part; null where it ends after so many transactions and their speed is not known. */
  trialSeconds: number | null;
  expectedSeconds: number | null;
}

export interface PlannedTrial {
  /** Unique in the plan, in the order of the plan when sorted: `block-01-1-with-log-volume`. */
  id: string;
  variant: string;
  /** From 2, where its block is measured once more; absent in a plan. */
  attempt?: number;
}

/** To modify and reboot an instance whose log volume comes or goes; not measured, RDS copies nothing but has to make it. */
const crossOverSeconds = 1800;

/** Expands an experiment; pure: the same experiment, profile and seed give the same plan. */
export function makePlan(experiment: Experiment, profile: string, warnings: readonly string[] = []): Plan {
  const { protocol, workload } = experiment;
  const variants = Object.keys(experiment.variants);
  const durations = expectDurations(experiment);
  const shares = scriptShares(workload.scripts);
  const resetSeconds = durations.resetSteps.reduce((total, { expectedSeconds }) => total + expectedSeconds, 0);

  const steps: Step[] = [
    { kind: 'create', variants, expectedSeconds: durations.createSeconds },
    {
      kind: 'load',
      variants,
      keepCopy: protocol.reset.includes('restore'),
      expectedSeconds: durations.loadSeconds,
    },
    ...(protocol.settleSeconds > 0 ? [{ kind: 'settle' as const, expectedSeconds: protocol.settleSeconds }] : []),
    ...measureSteps(),
  ];

  /** Balanced over all blocks, and in a crossover over those of either period. */
  function measureSteps(): Step[] {
    const { blocks, seed } = protocol;
    const draw = (count: number, from: number, period?: 1 | 2): Step[] =>
      drawOrders(variants, { ...protocol, blocks: count, seed: (seed + from) >>> 0 }).flatMap((positions, block) =>
        positions.map((together, position) => measureStep(from + block + 1, position + 1, together, period)),
      );
    if (!protocol.crossover) return draw(blocks, 0);
    const half = Math.floor(blocks / 2);
    const crossOver: Step = { kind: 'cross-over', variants, expectedSeconds: crossOverSeconds };
    return [...draw(half, 0, 1), crossOver, ...draw(blocks - half, half, 2)];
  }

  function measureStep(block: number, position: number, together: readonly string[], period?: 1 | 2): MeasureStep {
    const width = Math.max(2, String(protocol.blocks).length);
    return {
      kind: 'measure',
      block,
      position,
      ...(period === undefined ? {} : { period }),
      trials: together.map((variant) => ({
        id: `block-${String(block).padStart(width, '0')}-${position}-${variant}`,
        variant,
      })),
      reset: protocol.reset,
      warmUpSeconds: protocol.warmUpSeconds,
      trialSeconds: durations.trialSeconds,
      expectedSeconds: sum([resetSeconds, protocol.warmUpSeconds, durations.trialSeconds]),
    };
  }

  return {
    experiment: experiment.name,
    profile,
    question: experiment.question,
    seed: protocol.seed,
    baseline: experiment.baseline,
    variants,
    order: protocol.order,
    blocks: protocol.blocks,
    until: protocol.until,
    transactionsPerTrial: workload.transactions === undefined ? null : workload.transactions * workload.clients,
    scripts: shares,
    mix: describeMix(shares),
    resetSteps: durations.resetSteps,
    steps,
    expectedSeconds: sum(steps.map((step) => step.expectedSeconds)),
    assumptions: [
      ...durations.assumptions,
      ...(protocol.crossover ? [`${crossOverSeconds / 60} minutes for the log volumes to change places`] : []),
    ],
    warnings: [...warnings],
  };
}

/** null as soon as one part is not known. */
function sum(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>((total, part) => (total === null || part === null ? null : total + part), 0);
}

/** The trials of a plan in the order in which they are measured. */
export function plannedTrials(plan: Plan): (PlannedTrial & { block: number; position: number })[] {
  return plan.steps.flatMap((step) =>
    step.kind === 'measure'
      ? step.trials.map((trial) => ({ ...trial, block: step.block, position: step.position }))
      : [],
  );
}
