import { UserError } from '../contract/errors.ts';
import { laterSeriesFile, type Trial } from '../contract/trial.ts';
import type { Findings } from './collector.ts';

/** What a source leaves that could tell nothing of a trial. */
export function absent(collector: string, why: string): Findings {
  return { facts: { absent: { [collector]: why } } };
}

/** Why a source did not answer. A trial counts without it. @throws the error if it is a bug of ours */
export function reasonOf(error: unknown): string {
  if (!(error instanceof UserError)) throw error;
  return error.message.replace(/\.$/, '');
}

/** Trials of which a source has not told yet, in this start of the run or an earlier one. */
export function notTold(collector: string, trials: readonly Trial[]): Trial[] {
  const own = laterSeriesFile(collector);
  return trials.filter(({ series }) => !series.some(({ file }) => file === own));
}
