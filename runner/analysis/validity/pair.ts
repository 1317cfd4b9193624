import type { FinishedTrial, Result } from '../../contract/result.ts';

/** What a result tells, before anything in it is compared. */
export type LedgerFacts = Pick<Result, 'experiment' | 'place' | 'variants' | 'trials' | 'stoppedAfterBlock'>;

/** Two variants beside each other. */
export interface Pair {
  baseline: string;
  candidate: string;
  /** Those that count. */
  blocks: readonly (readonly [FinishedTrial, FinishedTrial])[];
}
