import type { PgbenchWorkload } from './schema.ts';

/** The first transactions read what no cache holds yet. */
const leastSecondsEach = 300;
const mostSecondsEach = 86_400;

/** So long may one transaction of a script take: as long as a trial, in which it would otherwise not end once. */
export function secondsToTry({ durationSeconds = 0 }: Pick<PgbenchWorkload, 'durationSeconds'>): number {
  return Math.min(mostSecondsEach, Math.max(leastSecondsEach, durationSeconds));
}
