/**
 * The second of a trial in which something was seen: second 0 is the first one after the measured part began, and below zero is
 * what came before. All series count like this, so that they can be joined by second.
 *
 * @param at Unix time in milliseconds
 */
export function secondOf(at: number, startedAt: Date): number {
  return Math.floor((at - startedAt.getTime()) / 1000);
}
