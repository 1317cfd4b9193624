import type { Experiment } from '../contract/experiment/schema.ts';
import { UserError } from '../contract/errors.ts';

/** Longest timer of Node.js: 2^31 milliseconds, some days less than the longest limit. */
export const longestTimerMs = 2 ** 31 - 1;

/** Reason of the abort when a run reaches a limit of the experiment. */
export class LimitReached extends UserError {
  override name = 'LimitReached';
}

export interface LimitedTime {
  /** When the run was started for the first time. Its hours count from here, including the time before a resume. */
  startedAt: Date;
  /** What is billed, and since when; null if nothing is, or if the price is not known. Then only the hours count. */
  bill: { since: Date; dollarsPerHour: number } | null;
  now: () => Date;
}

/**
 * Aborts when the run has lasted as long, or has cost as much, as the experiment allows.
 *
 * @returns a signal that aborts with a LimitReached, and `clear` to end the timer
 */
export function timeLimit(
  limits: Experiment['limits'],
  { startedAt, bill, now }: LimitedTime,
): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const limit = earliest(limits, startedAt, bill);
  if (!limit) return { signal: controller.signal, clear: () => undefined };
  const stop = (): void =>
    controller.abort(new LimitReached(`Stopped by ${limit.words}, counted from ${limit.from.toISOString()}.`));
  const leftMs = endOf(limit) - now().getTime();
  if (leftMs <= 0) {
    stop();
    return { signal: controller.signal, clear: () => undefined };
  }
  const timer = setTimeout(stop, Math.min(leftMs, longestTimerMs)).unref();
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
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
  if (hours !== undefined) limits.push({ from: startedAt, hours, words: `limits.hours: ${hours}` });
  if (dollars !== undefined && bill) {
    const { since, dollarsPerHour } = bill;
    const words = `limits.dollars: ${dollars}, at ${dollarsPerHour} an hour`;
    limits.push({ from: since, hours: dollars / dollarsPerHour, words });
  }
  return limits.sort((a, b) => endOf(a) - endOf(b))[0];
}

function endOf({ from, hours }: Limit): number {
  return from.getTime() + hours * 3_600_000;
}
