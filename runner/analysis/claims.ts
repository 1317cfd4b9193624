import type { Scope, Unit } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import { designOf } from '../experiment/plan/design.ts';
import type { Plan } from '../contract/plan.ts';
import { inOrderOfEnd } from '../contract/trial.ts';
import { planOfRun } from './ladder/past-knee.ts';
import { missingTrials } from './counted-trials.ts';

/** What may be claimed from an experiment, by its design and by how its run ended: the one place that decides this. */
export interface Claims {
  /** For what the numbers hold. */
  scope: Scope | null;
  /** What one value of an estimate comes from. */
  unit: Unit;
  /** How many times a crossover exchanges the log volumes; 0 without one. */
  exchanges: number;
  /** Number of servers of each variant. */
  replicas: number;
  /** Whether the order was drawn by chance. Without that no interval has a level, and none is given. */
  drawn: boolean;
  /** Why the design allows no verdict, each a phrase; empty if it allows one. */
  obstacles: readonly string[];
}

/** What a run says of itself; the parts of a result that decide what may be claimed. */
export type ClaimFacts = Pick<Result, 'experiment' | 'trials' | 'steps'> & {
  stoppedAfterBlock?: number | undefined;
  stoppedBy?: string | undefined;
};

/** @param plan of the run, where it was made before */
export function claimsOf(facts: ClaimFacts, plan = planOfRun(facts)): Claims {
  const { scope, unit, exchanges, replicas, drawn, obstacles } = designOf(facts.experiment.definition);
  return { scope, unit, exchanges, replicas, drawn, obstacles: [...obstacles, ...interruption(facts, plan)] };
}

/** Whether the run ended before its plan, and only --resume brings it to an end that allows a verdict. */
export function awaitsResume(facts: ClaimFacts): boolean {
  return facts.stoppedBy === undefined && interruption(facts, planOfRun(facts)).length > 0;
}

/**
 * Stopping when the numbers please makes false verdicts likely. A stop by plan, by precision or by a limit does not. But the
 * hours and dollars of a limit go on while nothing is measured: who has cut a run off, and has seen figures, chooses by the
 * time of his return how many blocks the limit leaves, or whether it leaves any.
 */
function interruption({ trials, steps, stoppedAfterBlock, stoppedBy }: ClaimFacts, plan: Plan): string[] {
  if (stoppedAfterBlock !== undefined) return [];
  const goneOnWith = wasGoneOnWith(steps, trials);
  if (stoppedBy !== undefined && !goneOnWith) return [];
  // The last block of which every planned trial was attempted, and all before it.
  const attempted = trials.filter(({ state }) => state !== 'interrupted');
  const last = Math.min(plan.blocks, ...missingTrials(plan, attempted).map(({ block }) => block - 1));
  if (last >= plan.blocks) return [];
  const where = `the run ended after ${last} of ${plan.blocks} planned blocks`;
  if (stoppedBy !== undefined) {
    return [
      `${where}, and was cut off before it was stopped: who sees figures can choose how many blocks a limit leaves (begin anew without --resume)`,
    ];
  }
  // A run ends by itself only where a server is gone, and then nothing after its failed trial was measured.
  if (inOrderOfEnd(trials).at(-1)?.state === 'failed') {
    return [`${where}, when a trial failed: what ended it may depend on the numbers (go on with --resume)`];
  }
  return [
    `${where}, and not by its plan: stopping when the numbers please makes chance look like an effect (go on with --resume)`,
  ];
}

/** Whether the run was begun again after trials: every start creates the servers, or finds them. */
function wasGoneOnWith(steps: ClaimFacts['steps'], trials: ClaimFacts['trials']): boolean {
  const first = trials.reduce((earliest, { startedAt }) => (startedAt < earliest ? startedAt : earliest), '9999');
  return steps.some(({ step, startedAt }) => step === 'create' && startedAt > first);
}
