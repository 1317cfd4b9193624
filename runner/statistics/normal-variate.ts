/** Draws from the standard normal distribution, by Box & Muller (1958). `random` is uniform on 0 to 1, without 1. */
export function normalVariate(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
