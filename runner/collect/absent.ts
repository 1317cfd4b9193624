import { isRefusal, UserError, withoutStop, wordsOf } from '../contract/errors.ts';
import { laterSeriesFile, type Trial } from '../contract/trial.ts';
import type { Collection, Findings } from './collector.ts';

/** The trials that a source has not reported on yet, in this start of the run or an earlier one. */
export function withoutFindings(collector: string, trials: readonly Trial[]): Trial[] {
  const own = laterSeriesFile(collector);
  return trials.filter(({ series }) => !series.some(({ file }) => file === own));
}

/** The findings of a source that has nothing about a trial. */
export function absent(collector: string, why: string): Findings {
  return { facts: { absent: { [collector]: why } } };
}

/** The collection of a source that is known from the start to have nothing about this trial. */
export function emptyCollection(collector: string, why: string): Collection {
  return { stop: () => Promise.resolve(absent(collector, why)) };
}

/** Why a source has nothing from a server that refuses what it asks for. @throws any other error */
export function reasonOfRefusal(error: unknown): string {
  if (!isRefusal(error)) throw error;
  return `the server rejects it: ${withoutStop(wordsOf(error))}`;
}

/** Why a source did not answer. A trial counts without it. @throws the error if it is a bug of ours */
export function reasonOf(error: unknown): string {
  if (!(error instanceof UserError)) throw error;
  return withoutStop(error.message);
}
