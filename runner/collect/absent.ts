import { AwsCallError } from '../aws/call.ts';
import { UserError } from '../contract/errors.ts';
import { laterSeriesFile, type Trial } from '../contract/trial.ts';
import type { Findings } from './collector.ts';

/** What a source leaves that could tell nothing of a trial. */
export function absent(collector: string, why: string): Findings {
  return { facts: { absent: { [collector]: why } } };
}

/** The same where the source did not answer or refused: that is said at once, too. */
export function unanswered(collector: string, why: string): Findings {
  return { ...absent(collector, why), warnings: [`${collector} told nothing: ${why}.`] };
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

/**
 * Asks a source about one trial after another. Where it does not answer, or refuses, it is not asked about the others: each
 * try would take minutes.
 */
export async function askOfEach(
  collector: string,
  trials: readonly Trial[],
  ask: (trial: Trial) => Promise<Findings>,
): Promise<Map<string, Findings>> {
  const found = new Map<string, Findings>();
  let silent: string | null = null;
  for (const trial of notTold(collector, trials)) {
    try {
      found.set(trial.id, silent === null ? await ask(trial) : unanswered(collector, silent));
    } catch (error) {
      const why = reasonOf(error);
      found.set(trial.id, unanswered(collector, why));
      if (error instanceof AwsCallError && (error.denied || error.passing)) silent = why;
    }
  }
  return found;
}
