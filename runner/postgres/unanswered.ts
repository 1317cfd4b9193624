import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { PartError } from '../contract/errors.ts';
import { answerSeconds, askEverySeconds, silentSeconds } from './client-connection.ts';

/** Seconds that a server has to take notice that a connection ends. */
const farewellSeconds = 5;

/** Ends a connection, also one to a server that hangs. It never throws. */
export async function disconnect(client: Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  const given = new AbortController();
  const late = sleep(farewellSeconds * 1000, 'late', { signal: given.signal, ref: false }).catch(() => undefined);
  if ((await Promise.race([ended, late])) === 'late') {
    (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
  }
  given.abort();
}

/** The error, in words that name the server if it is about an answer that did not come in time. */
export function inWords(error: unknown, server: string): unknown {
  if (!(error instanceof Error) || error.message !== 'Query read timeout') return error;
  return new PartError(`${server} did not answer a query of ours within ${answerSeconds} s: does the server hang?`, {
    cause: error,
  });
}

/**
 * Asks a server again and again while it works on something that may take long: a server that works also answers, one that
 * hangs does not.
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
            `${server} has answered nothing for ${silentSeconds} s while it worked for us: does the server hang?`,
          ),
        );
        return;
      }
    }
  };
  void watch().catch(() => undefined);
  return { silent: silent.signal, stop: () => stopped.abort() };
}
