import type { Trial } from '../contract/trial.ts';
import type { LaterContext } from './collector.ts';

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
