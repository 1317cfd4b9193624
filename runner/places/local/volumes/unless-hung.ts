/**
 * Waits for work on the files of a volume until it is done, or until somebody interrupts. A volume that hangs answers nothing,
 * and nothing ends a system call on it before the volume is gone; whoever waits for it should still hear a Ctrl-C. For the
 * same reason, such work must never be one of Node's synchronous calls.
 *
 * @throws what the work throws; the signal's reason if it aborted
 */
export async function unlessHung<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    const options = { once: true, signal: done.signal };
    signal.addEventListener('abort', () => reject(signal.reason as Error), options);
    if (signal.aborted) reject(signal.reason as Error);
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    done.abort();
  }
}
