import type { Scope } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import { type Design, designOf } from '../experiment/plan/design.ts';
import type { Plan } from '../contract/plan.ts';
import { inOrderOfEnd } from '../contract/trial.ts';
import { reason, type WithheldReason } from '../contract/withheld.ts';
import { placeNamed } from '../places/registry.ts';
import { planOfRun } from './ladder/past-knee.ts';
import { missingTrials } from './counted-trials.ts';

/**
 * What may be claimed from an experiment, by its design and by how its run ended, which may be one more obstacle. Only this module
 * decides that.
 */
export type Claims = Pick<Design, 'unit' | 'exchanges' | 'replicas' | 'drawn' | 'sharesMachine'> & {
  scope: Scope | null;
  obstacles: readonly WithheldReason[];
};

/** The parts of a result that decide what may be claimed. */
export type ClaimFacts = Pick<Result, 'experiment' | 'trials' | 'steps'> & {
  /** Where the servers were found. @default as the experiment says */
  place?: Pick<Result['place'], 'kind'>;
  start?: Result['start'];
  stoppedAfterBlock?: number | undefined;
  stoppedBy?: Result['stoppedBy'];
};

/** @param plan of the run, if it was made before */
export function claimsOf(facts: ClaimFacts, plan = planOfRun(facts)): Claims {
  const { scope, unit, exchanges, replicas, drawn, ...design } = designOf(facts.experiment.definition);
  // Whether an existing server is on the machine of the load, only the run finds out.
  const { sharesMachine } = facts.place ? placeNamed(facts.place.kind) : design;
  const obstacles = [...design.obstacles, ...interruption(facts, plan)];
  return { scope, unit, exchanges, replicas, drawn, sharesMachine, obstacles };
}

/** Whether the run ended before its plan did, so that only --resume can bring it to an end that allows a verdict. */
export function awaitsResume(facts: ClaimFacts): boolean {
  return facts.stoppedBy === undefined && interruption(facts, planOfRun(facts)).length > 0;
}

/**
 * Stopping when the numbers please makes false verdicts likely. A stop by plan, by precision or by a limit does not.
 * But the hours and dollars of a limit continue while nothing is measured. So someone who cuts a run off and has seen
 * figures can choose, by the time of the resume, how many blocks the limit leaves, if any.
 */
function interruption({ trials, steps, stoppedAfterBlock, stoppedBy }: ClaimFacts, plan: Plan): WithheldReason[] {
  if (stoppedAfterBlock !== undefined) {
    if (stoppedBy === undefined || stoppedAfterBlock >= plan.claims.blocksForVerdict) return [];
    const { blocks } = plan;
    return [
      reason(
        'stopped-for-futility',
        `the run ended after ${stoppedAfterBlock} of ${blocks} blocks, because the rest was unlikely to give an answer`,
      ),
    ];
  }
  const goneOnWith = wasGoneOnWith(steps, trials);
  if (stoppedBy !== undefined && !goneOnWith) return [];
  // The last block of which every planned trial was attempted, and all before it.
  const attempted = trials.filter(({ state }) => state !== 'interrupted');
  const last = Math.min(plan.blocks, ...missingTrials(plan, attempted).map(({ block }) => block - 1));
  if (last >= plan.blocks) return [];
  const where = `the run ended after ${last} of ${plan.blocks} planned blocks`;
  if (stoppedBy !== undefined) {
    return [
      reason(
        'resumed-before-limit',
        `${where}: it was cut off, resumed, then stopped by a limit. Someone who saw figures could influence the block count (start a new run, without --resume)`,
      ),
    ];
  }
  // A run ends by itself only if a server is gone, and then nothing after its failed trial was measured.
  if (inOrderOfEnd(trials).at(-1)?.state === 'failed') {
    return [
      reason(
        'ended-by-trial',
        `${where} because a trial failed, so the stop may depend on the results (continue the run with --resume)`,
      ),
    ];
  }
  return [
    reason(
      'ended-early',
      `${where}, not as planned: stopping when the numbers look good turns noise into an effect (continue it with --resume)`,
    ),
  ];
}

/** Whether the run was started again after trials: every start creates the servers, or finds them. */
function wasGoneOnWith(steps: ClaimFacts['steps'], trials: ClaimFacts['trials']): boolean {
  const first = trials.reduce((earliest, { startedAt }) => (startedAt < earliest ? startedAt : earliest), '9999');
  return steps.some(({ step, startedAt }) => step === 'create' && startedAt > first);
}
