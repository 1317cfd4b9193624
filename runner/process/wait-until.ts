import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Looks again and again until something holds, or until the patience is used up.
 *
 * @returns whether it holds
 * @throws the signal's reason if it aborts
 */
export async function waitUntil(
  holds: () => boolean | Promise<boolean>,
  { seconds, everyMs = 50, signal }: { seconds: number; everyMs?: number; signal?: AbortSignal },
): Promise<boolean> {
  const end = performance.now() + seconds * 1000;
  while (!(await holds())) {
    if (performance.now() >= end) return false;
    await sleep(everyMs, undefined, { ...(signal && { signal }) }).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  }
  return true;
}
