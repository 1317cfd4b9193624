import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './client.ts';
import { PartError } from '../contract/errors.ts';
import { answerSeconds, askEverySeconds, silentSeconds } from './target.ts';

/** Seconds that a server has to acknowledge the end of a connection. */
const farewellSeconds = 5;

/** Ends a connection, even one to a server that hangs. It never throws. */
export async function disconnect(client: Connection): Promise<void> {
  const ended = client.end().catch(() => undefined);
  const farewell = new AbortController();
  const late = sleep(farewellSeconds * 1000, 'late', { signal: farewell.signal, ref: false }).catch(() => undefined);
  if ((await Promise.race([ended, late])) === 'late') client.cutOff();
  farewell.abort();
}

/**
 * Waits for the answer to a short query of ours, with a time limit. Without it, a server that hangs or is gone would
 * keep us waiting for ever.
 *
 * @throws {PartError} that names the server, if it does not answer in time
 */
export async function answerOf<T>(query: Promise<T>, server: string): Promise<T> {
  return inTime(query, answerSeconds, () => {
    return new PartError(
      `${server} did not answer a pgduet query within ${answerSeconds} s. Is the server hung?`,
      'no-answer',
    );
  });
}

/** @throws the error that `late` makes, if there is no answer in time */
export async function inTime<T>(answer: Promise<T>, seconds: number, late: () => Error): Promise<T> {
  let cancel = (): void => undefined;
  const tooLate = new Promise<never>((_, reject) => {
    cancel = whenLate(seconds, () => reject(late()));
  });
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    cancel();
  }
}

/**
 * Asks a server again and again during work that may take long. A server that works also answers; one that hangs does
 * not.
 *
 * @param ask rejects if the server does not answer
 * @returns a signal that aborts when no question was answered for too long, and `stop` to end the questions
 */
export function watchAnswers(server: string, ask: () => Promise<unknown>): { silent: AbortSignal; stop: () => void } {
  const silent = new AbortController();
  const stopped = new AbortController();
  const watch = async (): Promise<void> => {
    let answeredAt = performance.now();
    for (;;) {
      await sleep(askEverySeconds * 1000, undefined, { signal: stopped.signal, ref: false });
      try {
        await ask();
        answeredAt = performance.now();
      } catch {
        if (performance.now() - answeredAt < silentSeconds * 1000) continue;
        silent.abort(
          new PartError(
            `${server} has not answered for ${silentSeconds} s during a long query of pgduet. Does the server hang?`,
            'no-answer',
          ),
        );
        return;
      }
    }
  };
  void watch().catch(() => undefined);
  return { silent: silent.signal, stop: () => stopped.abort() };
}

/** Time for a process that was stopped to read what arrived in the meantime. */
const lastLookSeconds = 1;

/**
 * Calls `late` when the time is over. When a stopped process continues, its timers fire before it reads what has
 * arrived. So the call comes a moment later: by then, an answer that had arrived has cancelled it.
 *
 * @returns a function that cancels it
 */
export function whenLate(seconds: number, late: () => void): () => void {
  let timer = setTimeout(() => {
    timer = setTimeout(late, lastLookSeconds * 1000);
  }, seconds * 1000);
  return () => clearTimeout(timer);
}
