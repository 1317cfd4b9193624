import { commits } from './invariant/commits.ts';
import { length } from './invariant/length.ts';
import { loadedSize } from './invariant/loaded-size.ts';
import { offered } from './invariant/offered.ts';
import { silence } from './invariant/silence.ts';
import { transactionLog } from './invariant/transaction-log.ts';
import type { TrialCheck } from './trial-check.ts';

/**
 * What must hold of every trial at every place, whatever is compared: that nothing was lost, and nothing was added by
 * somebody else. All figures that they use are in the record of the trial, so that they can be checked again from a saved
 * result (`checkSavedTrial`).
 */
export const invariants: readonly TrialCheck[] = [
  // Transactions in the log = transactions of the run.
  transactionLog,
  // Commits of the server = commits of the run + what else is explained.
  commits,
  // No second is silent that should not be.
  silence,
  // The run was as long as planned.
  length,
  // What was offered was done.
  offered,
  // What was loaded is there.
  loadedSize,
];
