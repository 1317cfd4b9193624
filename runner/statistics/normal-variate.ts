/**
 * Draws from the standard normal distribution, after Box & Muller (1958).
 *
 * @param random gives numbers that are uniform from 0 to 1, without 1
 */
export function normalVariate(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/**
 * The value that a standard normal variate exceeds with this chance, to within 0.0005 (Abramowitz & Stegun 1964, "Handbook of
 * Mathematical Functions", 26.2.23).
 *
 * @param chance above 0 and at most 0.5
 */
export function normalExceededBy(chance: number): number {
  const t = Math.sqrt(-2 * Math.log(chance));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}
