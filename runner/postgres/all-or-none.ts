/**
 * Does several things at the same time. The first failure aborts the signal of the others, so that none continues in
 * vain.
 *
 * @returns once all of them have ended
 * @throws the first error
 */
export async function allOrNone<T>(
  items: Iterable<T>,
  carryOut: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const going = [...items].map((item) =>
    carryOut(item, failure.signal).catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(going);
  // The other errors often say only that they were aborted.
  failure.signal.throwIfAborted();
}
