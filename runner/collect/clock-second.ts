/**
 * The second of a trial in which something was seen, by the seconds of the clock: second 0 is the one in which the trial
 * started. So are the series of the load, and all can be laid over each other.
 *
 * @param at Unix time in milliseconds
 */
export function clockSecond(at: number, startedAt: Date): number {
  return Math.floor(at / 1000) - Math.floor(startedAt.getTime() / 1000);
}
