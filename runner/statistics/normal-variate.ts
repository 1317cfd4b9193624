/**
 * Draws from the standard normal distribution, after Box & Muller (1958).
 *
 * @param random gives numbers that are uniform from 0 to 1, without 1
 */
export function normalVariate(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
