import { setImmediate } from 'node:timers/promises';

/** Work that pauses between its parts, each of which takes a second at most. */
export type InParts<T> = Generator<void, T, void>;

/** Does the work without a pause. Meanwhile, this process hears nothing. */
export function atOnce<T>(work: InParts<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Does the work part by part, and hears Ctrl-C between them.
 *
 * @param signal ends it, with its reason
 */
export async function partByPart<T>(work: InParts<T>, signal: AbortSignal): Promise<T> {
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      await setImmediate();
      signal.throwIfAborted();
    }
  } finally {
    // It closes what it has open. Nobody sees the value.
    work.return(undefined as T);
  }
}
