/** In this time, a process that was stopped reads what arrived in the meantime. */
const lastLookSeconds = 1;

/**
 * Calls `late` when the time is over. A process that goes on after a stop finds its timers due before it reads what has arrived:
 * so the call comes a moment later, and who was answered has cancelled it by then.
 *
 * @returns a function that cancels it
 */
export function whenLate(seconds: number, late: () => void): () => void {
  let timer = setTimeout(() => {
    timer = setTimeout(late, lastLookSeconds * 1000);
  }, seconds * 1000);
  return () => clearTimeout(timer);
}
