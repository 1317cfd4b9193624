import { AwsCallError } from '../aws/call.ts';
import { type AwsSources, type ObservedInstance, tookTheLoad } from '../aws/sources.ts';
import { laterSeriesFile, type Trial } from '../contract/trial.ts';
import type { Collection, Findings, LaterContext } from './collector.ts';
import { UserError } from '../contract/errors.ts';

/** What a source of AWS is asked about: a trial, and the instance that took its load. Of a cluster, that is the writer. */
export interface LoadedInstance {
  trial: Trial;
  instance: ObservedInstance;
  /** By which RDS names the instance to other services, also after it was renamed. */
  resourceId: string;
}

/** Trials of which a source has not told yet, in this start of the run or an earlier one. */
export function withoutFindings(collector: string, trials: readonly Trial[]): Trial[] {
  const own = laterSeriesFile(collector);
  return trials.filter(({ series }) => !series.some(({ file }) => file === own));
}

/**
 * What a source leaves that did not answer. A refusal is said at once, too: somebody can give the permission before the next
 * run.
 *
 * @throws the error if it is a bug of ours
 */
export function unanswered(collector: string, error: unknown): Findings {
  const why = reasonOf(error);
  const refused = error instanceof AwsCallError && error.denied;
  return { ...absent(collector, why), ...(refused && { warnings: [`${collector} returned no data: ${why}.`] }) };
}

/**
 * Asks a source about the instance of one trial after another; off AWS, about none. Where it does not answer, or refuses, it
 * is not asked about the others: each try would take minutes.
 */
export async function askOfEach(
  collector: string,
  trials: readonly Trial[],
  { aws }: LaterContext,
  ask: (about: LoadedInstance, aws: AwsSources) => Promise<Findings>,
): Promise<Map<string, Findings>> {
  const found = new Map<string, Findings>();
  if (!aws) return found;
  const askAbout = async (trial: Trial): Promise<Findings> => {
    const instance = (await aws.instancesOf(trial)).find(tookTheLoad);
    if (!instance) return absent(collector, 'RDS does not know the database any more');
    const { resourceId } = instance;
    if (resourceId === null) return absent(collector, 'RDS does not name the resource of the instance');
    return ask({ trial, instance, resourceId }, aws);
  };
  let silent: Findings | null = null;
  for (const trial of withoutFindings(collector, trials)) {
    try {
      found.set(trial.id, silent ?? (await askAbout(trial)));
    } catch (error) {
      const findings = unanswered(collector, error);
      found.set(trial.id, findings);
      if (error instanceof AwsCallError && (error.denied || error.passing)) silent = findings;
    }
  }
  return found;
}

/** RDS's metrics are there a minute or two after what they tell of. What is missing after this time does not come. */
const latestSeconds = 180;
const pauseSeconds = 20;

/**
 * Asks for what may be late until it is complete, or until three minutes after the end of the last trial.
 *
 * @returns the last answer
 */
export async function askInTime<Answer>(
  ask: () => Promise<Answer>,
  isComplete: (answer: Answer) => boolean,
  trials: readonly Pick<Trial, 'endedAt'>[],
  { now, pause }: Pick<LaterContext, 'now' | 'pause'>,
): Promise<Answer> {
  const ended = Math.max(...trials.map(({ endedAt }) => Date.parse(endedAt)));
  const since = Math.max(0, (now().getTime() - ended) / 1000);
  // Counted in pauses: the clock may be set meanwhile.
  for (let left = latestSeconds - since; ; left -= pauseSeconds) {
    const answer = await ask();
    if (isComplete(answer) || left <= 0) return answer;
    await pause(pauseSeconds);
  }
}

/** What a source leaves that could tell nothing of a trial. */
export function absent(collector: string, why: string): Findings {
  return { facts: { absent: { [collector]: why } } };
}

/** The collection of a source of which it is known from the start that it can tell nothing of this trial. */
export function emptyCollection(collector: string, why: string): Collection {
  return { stop: () => Promise.resolve(absent(collector, why)) };
}

/** Why a source did not answer. A trial counts without it. @throws the error if it is a bug of ours */
export function reasonOf(error: unknown): string {
  if (!(error instanceof UserError)) throw error;
  return error.message.replace(/\.$/, '');
}
