import type { Warning } from './warnings.ts';
import type { Scope, Unit } from './comparison.ts';
import type { Group, Protocol } from './experiment/schema.ts';
import type { Start } from './start.ts';
import type { Conditions, Level } from './trial.ts';
import type { WithheldReason } from './withheld.ts';

/** An assumption behind an expected duration, in words, so that a reader can judge it. */
export type Assumption = string;

export interface ResetDuration {
  step: string;
  /** null if it cannot be foreseen. */
  expectedSeconds: number | null;
}

/** What a run will do, in this order. Durations are in seconds; null if they cannot be foreseen. */
export interface Plan {
  experiment: string;
  profile: string;
  question: string;
  seed: number;
  /** With a matrix, that of the first group. */
  baseline: string;
  variants: string[];
  /** Only with a matrix: variants are compared with those of their own group. */
  groups?: Group[];
  /** Only on existing servers: the service of each, with the variants that have databases there. */
  services?: { service: string; variants: string[] }[];
  /** In what the variants differ: empty if they are all equal. */
  differences: Difference[];
  /** How many servers each variant has. */
  replicas: number;
  /** The levels at which variants are measured; one empty level if nothing but the variant is varied. */
  levels: Level[];
  /**
   * In which order the levels are measured, and after how many blocks those past the knee are left out; null for never.
   */
  ladder: { order: 'random' | 'rising'; stopPastKneeAfter: number | null };
  order: Protocol['order'];
  /** Number of blocks. With `until: precision` or `verdict`, the most that are measured. */
  blocks: number;
  until: Protocol['until'];
  /** Transactions of one trial over all clients; null for a trial that is limited by time. */
  transactionsPerTrial: number | null;
  /** The workload in the words of its tool: pairs of a term and its explanation. */
  workload: [term: string, words: string][];
  /** Expected time of each step of the reset before a trial. */
  resetSteps: ResetDuration[];
  /** What its results may claim: what they hold for, and why there will be no verdict (empty if there may be one). */
  claims: {
    scope: Scope;
    unit: Unit;
    /** Of a crossover; 0 without one. */
    exchanges: number;
    comparisons: number;
    /** Fewest blocks from which every comparison can get a verdict; with `until`, those of the first such look. */
    blocksForVerdict: number;
    /** Blocks after which the run may first stop; all blocks if it does not stop early. */
    earliestStop: number;
    obstacles: WithheldReason[];
  };
  /** Which start of its question this is; absent if starts are not counted, as for a plan that is only shown. */
  start?: Pick<Start, 'number' | 'level' | 'others'> & {
    /** Blocks that the experiment asks for: the level of the start may take more. */
    asked: number;
  };
  steps: Step[];
  expectedSeconds: number | null;
  assumptions: Assumption[];
  warnings: Warning[];
}

export interface Difference {
  /** Such as `storage.iops`, or the bare name of a parameter of PostgreSQL. */
  property: string;
  /** Each value with the variants that have it, at least two; null for those that do not set it. */
  values: { value: string | number | boolean | null; variants: string[] }[];
}

export type Step = CreateStep | LoadStep | TouchStep | SettleStep | SnapshotStep | CrossoverStep | MeasureStep;

/**
 * Local variants are started. Deployed variants are found, and all of their servers proved to be what was asked for.
 */
export interface CreateStep {
  kind: 'create';
  variants: string[];
  expectedSeconds: number;
}

/**
 * Variants are loaded one after another. The servers of one variant are loaded at the same time: each has its own host.
 */
export interface LoadStep {
  kind: 'load';
  variants: string[];
  /** Whether to keep a copy of the loaded database, which is restored before each trial. */
  keepCopy: boolean;
  /** What is run on variants afterwards, by their names; absent if nothing. */
  prepare?: Readonly<Record<string, readonly string[]>>;
  /** Without `prepare`. null if the size of the data is not known. */
  expectedSeconds: number | null;
}

/**
 * Takes the place of loading if the servers were restored from a snapshot: proves what is in them, and reads all of it
 * once, on all servers at the same time. Until then, each first read would wait for S3.
 */
export interface TouchStep {
  kind: 'touch';
  variants: string[];
  /** Both as in LoadStep. */
  keepCopy: boolean;
  prepare?: LoadStep['prepare'];
  /** null if the size of the data is not known. */
  expectedSeconds: number | null;
}

/** A snapshot of the loaded data is made of one server of the baseline, and kept. */
export interface SnapshotStep {
  kind: 'snapshot';
  /** The baseline. */
  variants: string[];
  /** null if the size of the data is not known. */
  expectedSeconds: number | null;
}

export interface SettleStep {
  kind: 'settle';
  expectedSeconds: number;
}

/** The log volumes are exchanged between the instances. */
export interface CrossoverStep {
  kind: 'cross-over';
  /** The period that begins with this step. */
  period: number;
  variants: string[];
  expectedSeconds: number;
}

/** One position in a block: one trial, or with `order: together` one trial of each variant at the same time. */
export interface MeasureStep {
  kind: 'measure';
  block: number;
  /** Place in the block, from 1. */
  position: number;
  /** Counts from 1; higher if the block is measured again. */
  attempt: number;
  /** In a crossover: from 1, see `crossoversOf`. Absent without a crossover. */
  period?: number;
  trials: PlannedTrial[];
  reset: string[];
  /** With `protocol.phaseSeconds` it differs between blocks, and is the same for all trials of one. */
  warmUpSeconds: number;
  /** Length of the measured part; null if it ends after a number of transactions whose speed is not known. */
  trialSeconds: number | null;
  expectedSeconds: number | null;
}

export interface PlannedTrial {
  /** Unique in the plan, such as `block-01-1-with-log-volume`. Sorted ids are in the order of the plan. */
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

/** How many times an experiment exchanges its log volumes; 0 without a crossover. */
export function crossoversOf({ crossover }: { crossover: false | { exchanges: number } }): number {
  return crossover === false ? 0 : crossover.exchanges;
}

/**
 * The time of a crossover, in periods that are counted from 1. The log volumes are exchanged between the instances when
 * each even period begins. Between an even period and the odd one after it nothing happens. So with three exchanges an
 * instance carries A B B A A B, and every exchange has a period before it and one after it that no other exchange has.
 */
export function periodsOf(exchanges: number): number[] {
  return Array.from({ length: 2 * exchanges }, (_, index) => index + 1);
}

/** The periods right before and right after an exchange, both counted from 1. */
export function periodsNextTo(exchange: number): [before: number, behind: number] {
  return [2 * exchange - 1, 2 * exchange];
}

export function beginsWithCrossover(period: number): boolean {
  return period % 2 === 0;
}

/** Whether the log volumes are not where they were deployed. */
export function isCrossedOver(period: number): boolean {
  return Math.floor(period / 2) % 2 === 1;
}
