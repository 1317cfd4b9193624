import type { Scope, Unit } from '../contract/comparison.ts';
import type { Plan } from '../contract/plan.ts';
import type { Result } from '../contract/result.ts';
import { levelKey, levelOf, type Conditions } from '../contract/trial.ts';
import { designOf } from '../experiment/plan/design.ts';
import { makePlan } from '../experiment/plan/plan.ts';

/** What may be claimed from an experiment, by its design and by how its run ended: the one place that decides this. */
export interface Claims {
  /** For what the numbers hold. */
  scope: Scope | null;
  /** What one value of an estimate comes from. */
  unit: Unit;
  /** Number of servers of each variant. */
  replicas: number;
  /** Whether the order was drawn by chance. Without that no interval has a level, and none is given. */
  drawn: boolean;
  /** Why the design allows no verdict, each a phrase; empty if it allows one. */
  obstacles: readonly string[];
}

/** What a run says of itself; the parts of a result that decide what may be claimed. */
export type ClaimFacts = Pick<Result, 'experiment' | 'trials'> & {
  stoppedAfterBlock?: number | undefined;
  stoppedBy?: string | undefined;
};

export function claimsOf(facts: ClaimFacts): Claims {
  const { scope, unit, replicas, drawn, obstacles } = designOf(facts.experiment.definition);
  return { scope, unit, replicas, drawn, obstacles: [...obstacles, ...interruption(facts)] };
}

/** Stopping when the numbers please makes false verdicts likely. A stop by plan, by precision or by a limit does not. */
function interruption({ experiment, trials, stoppedAfterBlock, stoppedBy }: ClaimFacts): string[] {
  if (stoppedAfterBlock !== undefined || stoppedBy !== undefined) return [];
  const plan = makePlan(experiment.definition, experiment.profile);
  const last = lastBlockReached(plan, trials);
  if (last >= plan.blocks) return [];
  return [
    `the run ended after ${last} of ${plan.blocks} planned blocks, and not by its plan: stopping when the numbers please makes chance look like an effect (go on with --resume)`,
  ];
}

/** The last block of which every planned trial was attempted, and all before it; 0 if there is none. */
function lastBlockReached(plan: Plan, trials: ClaimFacts['trials']): number {
  const key = (block: number, conditions: Conditions): string =>
    `${block} ${conditions.variant} ${levelKey(levelOf(conditions))}`;
  const attempted = new Set(
    trials.flatMap(({ state, block, conditions }) => (state === 'interrupted' ? [] : [key(block, conditions)])),
  );
  const missing = plan.steps.flatMap((step) =>
    step.kind === 'measure' && step.trials.some(({ conditions }) => !attempted.has(key(step.block, conditions)))
      ? [step.block]
      : [],
  );
  return Math.min(plan.blocks, ...missing.map((block) => block - 1));
}
