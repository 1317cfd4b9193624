import { UserError } from '../contract/errors.ts';
import type { Collection, Findings } from './collector.ts';

/** What a source leaves that could tell nothing of a trial. */
export function absent(collector: string, why: string): Findings {
  return { facts: { absent: { [collector]: why } } };
}

/** The collection of a source of which it is known from the start that it can tell nothing of this trial. */
export function tellsNothing(collector: string, why: string): Collection {
  return { stop: () => Promise.resolve(absent(collector, why)) };
}

/** Why a source did not answer. A trial counts without it. @throws the error if it is a bug of ours */
export function reasonOf(error: unknown): string {
  if (!(error instanceof UserError)) throw error;
  return error.message.replace(/\.$/, '');
}
