import pg from 'pg';
import { isServerTrouble, PartError } from '../contract/errors.ts';
import type { PlacedTarget } from '../places/place.ts';

/**
 * Does work on a server. If a program or the server fails at it, the error also tells the first error in the server's log
 * since then, with its hint: a client often knows only what followed from it, such as that a checkpoint failed.
 */
export async function withCauseInLog<T>(target: Pick<PlacedTarget, 'serverLog'>, work: () => Promise<T>): Promise<T> {
  const log = await target.serverLog?.().catch(() => null);
  const errors = async (): Promise<string[]> =>
    (await log?.lines((line) => isError.test(line) || isHint.test(line)).catch(() => [])) ?? [];
  const before = await errors();
  try {
    return await work();
  } catch (error) {
    if (!isTrouble(error)) throw error;
    const since = (await errors()).slice(before.length);
    const at = since.findIndex((line) => isError.test(line));
    const first = since[at];
    const words = first?.slice(first.search(isError));
    if (words === undefined || error.message.includes(words)) throw error;
    const hint = isHint.exec(since[at + 1] ?? '')?.[1];
    const said = hint === undefined ? words : `${words} (${hint})`;
    throw new PartError(`${error.message}\nThe server said before: ${said}`, { cause: error });
  }
}

function isTrouble(error: unknown): error is Error {
  return error instanceof PartError || (error instanceof pg.DatabaseError && isServerTrouble(error.code ?? ''));
}

const isError = /(ERROR|FATAL|PANIC): /;
const isHint = /HINT: +(.*)$/;
