import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment } from '../contract/experiment/schema.ts';
import { PartError, UserError } from '../contract/errors.ts';
import { durationText } from '../contract/format.ts';
import { whenLate } from '../postgres/unanswered.ts';

/** Longest timer of Node.js: 2^31 milliseconds, which is some days less than the longest limit. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Does something at a time of the wall clock, or at once if that has passed. A single timer would not follow a clock
 * that is set.
 *
 * @returns a function that ends the wait
 */
export function doAt(moment: Date, now: () => Date, work: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  function wait(): void {
    const leftMs = moment.getTime() - now().getTime();
    if (leftMs <= 0) work();
    else timer = setTimeout(wait, Math.min(leftMs, longestTimerMs)).unref();
  }
  wait();
  return () => clearTimeout(timer);
}

/** The abort's reason when a run reaches a limit of the experiment. */
export class LimitReached extends UserError {
  override name = 'LimitReached';

  constructor(message: string) {
    super(message, { failure: 'limit-reached' });
  }
}

export interface LimitedTime {
  /**
   * When the run was started for the first time. Its hours count from here, including the time before it was resumed.
   */
  startedAt: Date;
  /**
   * The price per hour, and since when it is billed; null if nothing is billed or the price is unknown. Then only the
   * hours count.
   */
  bill: { since: Date; dollarsPerHour: number } | null;
  now: () => Date;
}

/**
 * Aborts when the run has lasted as long, or has cost as much, as the experiment allows.
 *
 * @returns a signal that aborts with a LimitReached, `keepTo` for dollars that a later deploy allows if these are fewer, and
 *   `clear` to end the timer
 */
export function timeLimit(
  limits: Experiment['limits'],
  { startedAt, bill, now }: LimitedTime,
): { signal: AbortSignal; keepTo: (dollars: number) => void; clear: () => void } {
  const controller = new AbortController();
  let clear = (): void => undefined;
  function waitFor(allowed: Experiment['limits']): void {
    const limit = earliest(allowed, startedAt, bill);
    if (!limit) return;
    const stop = (): void =>
      controller.abort(new LimitReached(`Stopped by ${limit.words}, counted from ${limit.from.toISOString()}.`));
    clear = doAt(endOf(limit), now, stop);
  }
  waitFor(limits);
  return {
    signal: controller.signal,
    keepTo(dollars) {
      clear();
      waitFor({ ...limits, dollars: Math.min(dollars, limits.dollars ?? Infinity) });
    },
    clear: () => clear(),
  };
}

interface Limit {
  from: Date;
  hours: number;
  words: string;
}

function earliest(
  { hours, dollars }: Experiment['limits'],
  startedAt: Date,
  bill: LimitedTime['bill'],
): Limit | undefined {
  const limits: Limit[] = [];
  if (hours !== undefined)
    limits.push({ from: startedAt, hours, words: `limits.hours (${durationText(hours * 3600)})` });
  if (dollars !== undefined && bill) {
    const { since, dollarsPerHour } = bill;
    const words = `limits.dollars: ${dollars}, at ${dollarsPerHour} an hour`;
    limits.push({ from: since, hours: dollars / dollarsPerHour, words });
  }
  return limits.sort((a, b) => endOf(a).getTime() - endOf(b).getTime())[0];
}

function endOf({ from, hours }: Limit): Date {
  return new Date(from.getTime() + hours * 3_600_000);
}

/** Resolves after this number of seconds, or rejects with the signal's reason when it aborts. */
export async function pauseSeconds(seconds: number, signal: AbortSignal): Promise<void> {
  await sleep(seconds * 1000, undefined, { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}

/**
 * How long after its due end pgduet ends a stage. Until then, a client may still get its last answer, or notice that
 * its server is gone.
 */
export const overtimeSeconds = 120;

/**
 * Does work, and interrupts it if it should have ended long ago. Otherwise a hung client would block the run for ever.
 *
 * @param dueSeconds how long the work takes; null if that is unknown, and the work is never interrupted
 * @param work receives a signal that aborts together with `signal`, or when the time is over
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
        `The load should have taken ${dueSeconds} s, but was still running ${overtimeSeconds / 60} minutes later. Does the server still answer?`,
        'load-overdue',
      ),
    );
  const cancel = whenLate(dueSeconds + overtimeSeconds, end);
  try {
    return await work(AbortSignal.any([signal, overdue.signal]));
  } finally {
    cancel();
  }
}
