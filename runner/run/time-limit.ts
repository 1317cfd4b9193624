import type { Experiment } from '../contract/experiment/schema.ts';
import { UserError } from '../contract/errors.ts';

/** Timers of Node end at 2^31 milliseconds, some days below the longest limit. */
const longestTimerMs = 2 ** 31 - 1;

/** The reason of a signal that a limit of the experiment has aborted. */
export class LimitReached extends UserError {
  override name = 'LimitReached';
}

/**
 * Aborts when the run has lasted, or has cost, what the experiment allows it, counted from its first start and with what it
 * lay still: that is billed too.
 *
 * @param dollarsPerHour null where nothing is billed or the price is not known: then only the hours count
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
