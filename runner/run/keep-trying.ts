import { UserError } from '../contract/errors.ts';

const firstPauseSeconds = 60;
const longestPauseSeconds = 300;

/**
 * Tries until it succeeds: after a minute, and then after longer pauses of up to five.
 *
 * @param warn receives each reason to try again
 * @param signal when it aborts, the last error is thrown
 */
export async function keepTrying<T>(
  attempt: () => Promise<T>,
  {
    warn,
    pause,
    signal,
  }: {
    warn: (text: string) => void;
    pause: (seconds: number, signal: AbortSignal) => Promise<void>;
    signal: AbortSignal;
  },
): Promise<T> {
  for (let seconds = firstPauseSeconds; ; seconds = Math.min(2 * seconds, longestPauseSeconds)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UserError) || signal.aborted) throw error;
      warn(`${error.message} It is tried again until it succeeds.`);
      // Only the signal ends a pause; then the reason to try again is the news.
      await pause(seconds, signal).catch(() => {
        throw error;
      });
    }
  }
}
