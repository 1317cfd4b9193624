import { PartError } from '../contract/errors.ts';
import type { PlacedTarget } from '../places/place.ts';

/**
 * Does work on a server. If a program fails at it, its error also tells the first error in the server's log since then: a
 * client often knows only what followed from it.
 */
export async function withCauseInLog(
  target: Pick<PlacedTarget, 'serverLog'>,
  work: () => Promise<void>,
): Promise<void> {
  const log = await target.serverLog?.().catch(() => null);
  const errors = async (): Promise<string[]> => (await log?.lines((line) => isError.test(line)).catch(() => [])) ?? [];
  const before = await errors();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    const [first] = (await errors()).slice(before.length);
    const words = first?.slice(first.search(isError));
    if (words === undefined || error.message.includes(words)) throw error;
    throw new PartError(`${error.message}\nThe server said before: ${words}`, { cause: error });
  }
}

const isError = /(ERROR|FATAL|PANIC): /;
