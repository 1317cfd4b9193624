/** Latencies from `2^(n/2)` microseconds on are in class n: two classes for each doubling. */
const classesPerDoubling = 2;
const doublings = 32;
export const numberOfClasses = classesPerDoubling * doublings;

/** Looked up for each of millions of transactions. */
const known = Uint8Array.from({ length: 2 ** 16 }, (_, micros) => computedClass(micros));

/** The class of a latency in whole microseconds. The last one has all from 2^31 µs on, which is 36 minutes. */
export function classOf(micros: number): number {
  return micros < known.length ? (known[micros] ?? 0) : computedClass(micros);
}

function computedClass(micros: number): number {
  if (micros >= 2 ** (doublings - 1)) return numberOfClasses - 1;
  const doubling = micros < 1 ? 0 : 31 - Math.clz32(micros);
  return classesPerDoubling * doubling + (micros * micros >= 2 ** (2 * doubling + 1) ? 1 : 0);
}

/** Where a class begins, in microseconds, rounded: the name of the class, which `classOf` need not find again. */
export function shortestOf(latencyClass: number): number {
  return Math.round(2 ** (latencyClass / classesPerDoubling));
}

/** A picture shows no more columns. */
const maxSteps = 125;
/** Widths of a step. Trials of nearly the same length have the same one, since no usual length is near a limit. */
const widths = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600];

/** Seconds of each step if so many seconds are to be shown. */
export function secondsOfStep(seconds: number): number {
  return widths.find((width) => seconds <= width * maxSteps) ?? Math.ceil(seconds / maxSteps);
}
