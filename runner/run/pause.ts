import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after this number of seconds, or rejects with the signal's reason when it aborts. */
export async function pauseSeconds(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}
