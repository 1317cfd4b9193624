import { absent, reasonOf, withoutFindings } from '../../collect/absent.ts';
import type { Findings, LaterContext } from '../../collect/collector.ts';
import type { Trial } from '../../contract/trial.ts';
import { AwsCallError } from '../aws/call.ts';
import { type AwsSources, type ObservedInstance, sourcesInAws, tookTheLoad } from './sources.ts';

/**
 * What pgduet asks an AWS source about: a trial, and the instance that took its load. In a cluster, that is the writer.
 */
export interface LoadedInstance {
  trial: Trial;
  instance: ObservedInstance;
  /** RDS's identifier of the instance for other services. It stays the same if the instance is renamed. */
  resourceId: string;
}

/**
 * The findings of a source that did not answer. A refusal is also a warning: the user can grant the permission before
 * the next run.
 *
 * @throws the error if it is a bug of ours
 */
export function unanswered(collector: string, error: unknown): Findings {
  const why = reasonOf(error);
  const refused = error instanceof AwsCallError && error.denied;
  return { ...absent(collector, why), ...(refused && { warnings: [`${collector} returned no data: ${why}.`] }) };
}

/**
 * Asks a source about the instance of one trial after another. Outside AWS, it asks about none. If the source refuses
 * or does not answer, the other trials are not asked about: each try would take minutes.
 */
export async function askOfEach(
  collector: string,
  trials: readonly Trial[],
  { sources }: Pick<LaterContext, 'sources'>,
  ask: (about: LoadedInstance, aws: AwsSources) => Promise<Findings>,
): Promise<Map<string, Findings>> {
  const found = new Map<string, Findings>();
  const aws = sourcesInAws(sources);
  if (!aws) return found;
  const askAbout = async (trial: Trial): Promise<Findings> => {
    const instance = (await aws.instancesOf(trial)).find(tookTheLoad);
    if (!instance) return absent(collector, 'RDS no longer has the instance');
    const { resourceId } = instance;
    if (resourceId === null) return absent(collector, 'RDS reports no resource ID for the instance');
    return ask({ trial, instance, resourceId }, aws);
  };
  let silent: Findings | null = null;
  for (const trial of withoutFindings(collector, trials)) {
    try {
      found.set(trial.id, silent ?? (await askAbout(trial)));
    } catch (error) {
      const findings = unanswered(collector, error);
      found.set(trial.id, findings);
      if (error instanceof AwsCallError && (error.denied || error.isTransient)) silent = findings;
    }
  }
  return found;
}

/** RDS publishes its metrics a minute or two late. What is still missing after this time will not come. */
const latestSeconds = 180;
const pauseSeconds = 20;

/**
 * Asks for data that may be late, until it is complete or the last trial ended three minutes ago.
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
  // Counts the pauses: the clock may be set in the meantime.
  for (let left = latestSeconds - since; ; left -= pauseSeconds) {
    const answer = await ask();
    if (isComplete(answer) || left <= 0) return answer;
    await pause(pauseSeconds);
  }
}
