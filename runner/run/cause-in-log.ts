import pg from 'pg';
import { isServerTrouble, PartError } from '../contract/errors.ts';
import type { PlacedTarget } from '../places/place.ts';

/**
 * Does work on a server. If a program or the server fails at it, the error also tells the first error in the server's log
 * since then: a client often knows only what followed from it, such as that a checkpoint failed.
 */
export async function withCauseInLog<T>(target: Pick<PlacedTarget, 'serverLog'>, work: () => Promise<T>): Promise<T> {
  const log = await target.serverLog?.().catch(() => null);
  const errors = async (): Promise<string[]> => (await log?.lines((line) => isError.test(line)).catch(() => [])) ?? [];
  const before = await errors();
  try {
    return await work();
  } catch (error) {
    if (!isTrouble(error)) throw error;
    const [first] = (await errors()).slice(before.length);
    const words = first?.slice(first.search(isError));
    if (words === undefined || error.message.includes(words)) throw error;
    throw new PartError(`${error.message}\nThe server said before: ${words}`, { cause: error });
  }
}

function isTrouble(error: unknown): error is Error {
  return error instanceof PartError || (error instanceof pg.DatabaseError && isServerTrouble(error.code ?? ''));
}

const isError = /(ERROR|FATAL|PANIC): /;
