import type { Protocol } from './experiment/schema.ts';
import type { Conditions, Level } from './trial.ts';

/** A guess that an expected duration rests on, in words, so that a reader can judge it. */
export type Assumption = string;

export interface ResetDuration {
  step: string;
  expectedSeconds: number;
}

/** What will be done, in this order. Durations in seconds; null where nobody can foretell. */
export interface Plan {
  experiment: string;
  profile: string;
  question: string;
  seed: number;
  baseline: string;
  variants: string[];
  /** What else is varied, each value at which every variant is measured; one empty level where nothing is. */
  levels: Level[];
  order: Protocol['order'];
  /** With `until: precision` at most so many. */
  blocks: number;
  until: Protocol['until'];
  /** Transactions of one trial over all clients; null for a trial that is limited by time. */
  transactionsPerTrial: number | null;
  /** The workload in the words of its tool: pairs of a term and what is to be said of it. */
  workload: [term: string, words: string][];
  /** What each step of the reset before every trial costs in time. */
  resetSteps: ResetDuration[];
  steps: Step[];
  expectedSeconds: number | null;
  assumptions: Assumption[];
  warnings: string[];
}

export type Step = CreateStep | LoadStep | SettleStep | CrossOverStep | MeasureStep;

/** The variants are brought up, or found and proved to be what was asked for. */
export interface CreateStep {
  kind: 'create';
  variants: string[];
  expectedSeconds: number;
}

export interface LoadStep {
  kind: 'load';
  variants: string[];
  /** Whether what was loaded is to be restored before each trial. */
  keepCopy: boolean;
  expectedSeconds: number;
}

export interface SettleStep {
  kind: 'settle';
  expectedSeconds: number;
}

/** The log volumes change places. */
export interface CrossOverStep {
  kind: 'cross-over';
  /** What begins with it. */
  period: 1 | 2;
  variants: string[];
  expectedSeconds: number;
}

/** One place of one block: one trial, or with `order: together` one trial of each variant at the same time. */
export interface MeasureStep {
  kind: 'measure';
  block: number;
  /** Place in the block, from 1. */
  position: number;
  /** From 1; higher where the block is measured once more. */
  attempt: number;
  /** In a crossover: 2 where the log volumes have changed places; absent where they never do. */
  period?: 1 | 2;
  trials: PlannedTrial[];
  reset: string[];
  warmUpSeconds: number;
  /** Length of the measured part; null where it ends after so many transactions and their speed is not known. */
  trialSeconds: number | null;
  expectedSeconds: number | null;
}

export interface PlannedTrial {
  /** Unique in the plan, in the order of the plan when sorted: `block-01-1-with-log-volume`. */
  id: string;
  conditions: Conditions;
}

/** The trials of a plan in the order in which they are measured. */
export function plannedTrials(plan: Pick<Plan, 'steps'>): (PlannedTrial & { block: number; position: number })[] {
  return plan.steps.flatMap((step) =>
    step.kind === 'measure'
      ? step.trials.map((trial) => ({ ...trial, block: step.block, position: step.position }))
      : [],
  );
}
