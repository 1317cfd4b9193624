import type { Experiment } from '../../contract/experiment/schema.ts';
import { makePlan } from './plan.ts';

/** How the time of a run on this machine divides: what comes before the first block, and each block. Seconds. */
export interface BlockTimes {
  before: number;
  block: number;
}

/**
 * What nobody can know beforehand, such as how long data of one's own takes to restore, counts as nothing.
 *
 * @param experiment with any number of blocks
 * @param overrun seconds by which a block takes longer than its trials are planned
 */
export function blockTimes(experiment: Experiment, profile: string, overrun = 0): BlockTimes {
  const { steps } = makePlan(experiment, profile);
  let [before, measured] = [0, 0];
  for (const step of steps) {
    if (step.kind === 'measure') measured += step.expectedSeconds ?? step.warmUpSeconds + (step.trialSeconds ?? 0);
    else before += step.expectedSeconds ?? 0;
  }
  return { before, block: measured / experiment.protocol.blocks + overrun };
}
