import { UserError } from '../contract/errors.ts';
import type { Running } from './execution.ts';

/** A lost connection or a failover passes; a full disk does not. */
const mostTries = 3;
/** Long enough for the end of a failover. */
const secondsToNextTry = 60;

/**
 * Does work on one server, and does it again if it fails, with a warning. It is not done again if the run was interrupted, or
 * if it is the user who has to put it right.
 *
 * @param what names the work in the warning, such as `Loading with-dlv`
 */
export async function withTries(
  { place, pause, report }: Running,
  what: string,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await work();
      return;
    } catch (error) {
      if (signal.aborted || error instanceof UserError || tries === mostTries) throw error;
      const why = error instanceof Error ? error.message : String(error);
      report({ kind: 'warning', text: `${what} failed and is tried again (${tries + 1} of ${mostTries}): ${why}` });
      await pause(secondsToNextTry, signal);
      await place.putUnderTest([], signal);
    }
  }
}
