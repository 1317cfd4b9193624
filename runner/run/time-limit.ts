import type { Experiment } from '../contract/experiment/schema.ts';
import { UserError } from '../contract/errors.ts';

/** Longest timer of Node.js: 2^31 milliseconds, some days less than the longest limit. */
const longestTimerMs = 2 ** 31 - 1;

/** Reason of the abort when a run reaches a limit of the experiment. */
export class LimitReached extends UserError {
  override name = 'LimitReached';
}

/**
 * Aborts when the run has lasted as long, or has cost as much, as the experiment allows. The time counts from the first
 * start, including the time before a resume: it is billed, too.
 *
 * @param dollarsPerHour null if nothing is billed or the price is not known; then only the hours count
 * @returns a signal that aborts with a LimitReached, and `clear` to end the timer
 */
export function timeLimit(
  limits: Experiment['limits'],
  { startedAt, dollarsPerHour, now }: { startedAt: Date; dollarsPerHour: number | null; now: () => Date },
): { signal: AbortSignal; clear: () => void } {
  const controller = new AbortController();
  const limit = earliest(limits, dollarsPerHour);
  if (!limit) return { signal: controller.signal, clear: () => undefined };
  const stop = (): void =>
    controller.abort(new LimitReached(`Stopped by ${limit.words}, counted from ${startedAt.toISOString()}.`));
  const leftMs = startedAt.getTime() + limit.hours * 3_600_000 - now().getTime();
  if (leftMs <= 0) {
    stop();
    return { signal: controller.signal, clear: () => undefined };
  }
  const timer = setTimeout(stop, Math.min(leftMs, longestTimerMs)).unref();
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

function earliest(
  { hours, dollars }: Experiment['limits'],
  dollarsPerHour: number | null,
): { hours: number; words: string } | undefined {
  const limits = [
    ...(hours === undefined ? [] : [{ hours, words: `limits.hours: ${hours}` }]),
    ...(dollars === undefined || dollarsPerHour === null
      ? []
      : [{ hours: dollars / dollarsPerHour, words: `limits.dollars: ${dollars}, at ${dollarsPerHour} an hour` }]),
  ];
  return limits.sort((a, b) => a.hours - b.hours)[0];
}
