import type { Experiment } from '../../contract/experiment/schema.ts';
import { makePlan } from './plan.ts';

/** How the time of a run on this machine divides: what comes before the first block, and each block. Seconds. */
export interface BlockTimes {
  before: number;
  block: number;
}

/**
 * @param experiment with any number of blocks
 * @param overrun seconds by which a block takes longer than its trials are planned
 */
export function blockTimes(experiment: Experiment, profile: string, overrun = 0): BlockTimes {
  const { steps, expectedSeconds } = makePlan(experiment, profile);
  const measured = steps.reduce((sum, step) => sum + (step.kind === 'measure' ? (step.expectedSeconds ?? 0) : 0), 0);
  return {
    before: (expectedSeconds ?? 0) - measured,
    block: measured / experiment.protocol.blocks + overrun,
  };
}
