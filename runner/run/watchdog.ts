import { PartError } from '../contract/errors.ts';
import { whenLate } from '../postgres/when-late.ts';

/** How long after its due end a stage is ended. A client may still wait for its last answer, or notice that its server is gone. */
export const overtimeSeconds = 120;

/**
 * Ends work that should have ended long ago, as an interruption would: a hung client would hold up the run for ever.
 *
 * @param dueSeconds how long the work takes; null if nobody knows: then it is never ended
 * @param work receives a signal that aborts with `signal`, and when the time is over
 * @throws an error that says that the work did not end in time
 */
export async function endOverdue<T>(
  { dueSeconds, signal }: { dueSeconds: number | null; signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (dueSeconds === null) return work(signal);
  const overdue = new AbortController();
  const end = (): void =>
    overdue.abort(
      new PartError(
        `The load should have taken ${dueSeconds} s, and did not end within ${overtimeSeconds / 60} minutes more. Does the server still answer?`,
      ),
    );
  const cancel = whenLate(dueSeconds + overtimeSeconds, end);
  try {
    return await work(AbortSignal.any([signal, overdue.signal]));
  } finally {
    cancel();
  }
}
