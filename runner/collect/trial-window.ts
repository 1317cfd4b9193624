import type { Trial } from '../contract/trial.ts';

/** The measured part of a trial, as Unix times in milliseconds. `to` is exclusive. */
export interface Window {
  from: number;
  to: number;
}

const minute = 60_000;

/**
 * The time of the load, without the warm-up. The trial itself ends later, when its logs have been digested. Meanwhile
 * the servers are idle.
 */
export function windowOf({ startedAt, endedAt, measures }: Pick<Trial, 'startedAt' | 'endedAt' | 'measures'>): Window {
  const [from, ended] = [Date.parse(startedAt), Date.parse(endedAt)];
  const seconds = measures['load.seconds'] ?? measures['runtime'] ?? null;
  return { from, to: seconds === null ? ended : Math.min(ended, from + seconds * 1000) };
}

/** The starts of the clock minutes that lie wholly in a window. Values per minute are valid only for these. */
export function wholeMinutes(window: Window): number[] {
  return wholePeriods(window, minute);
}

/** The same for periods of any length, in milliseconds. */
export function wholePeriods({ from, to }: Window, length: number): number[] {
  const first = Math.ceil(from / length);
  const count = Math.max(0, Math.floor(to / length) - first);
  return Array.from({ length: count }, (_, index) => (first + index) * length);
}

/**
 * The second of a trial in which something was seen. Second 0 begins with the measured part; earlier seconds are
 * negative. All series count like this, so that they can be joined by second.
 *
 * @param at Unix time in milliseconds
 */
export function secondOf(at: number, startedAt: Date): number {
  return Math.floor((at - startedAt.getTime()) / 1000);
}
