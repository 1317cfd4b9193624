import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** As many ways to flip signs are all tried; of more, as many are drawn. */
const maxFlips = 4096;
/** Always the same, so the same values lead to the same chances. */
const seed = 17;

/**
 * The chance that any of several quantities would have risen at least as clearly as each of these, if none of them
 * changed: the step-down test of the maximum of Westfall & Young ("Resampling-Based Multiple Testing", 1993), whose
 * distribution comes from flipping the signs of whole blocks (Fisher 1935). The measure of each quantity is the sum of
 * its differences over the root of the sum of their squares, which rises with Student's t. If the order within each
 * block was drawn by a fair coin, all quantities of a block have turned signs together with the same chance, however
 * they depend on each other, and whatever the noise is like. So the chance that at least one quantity that did not
 * change has a value of at most p is at most p. Beyond twelve blocks, flips are drawn; the flip that was observed is one
 * of them.
 *
 * @param quantities differences of each, by block, in the same blocks; above zero is a rise. null is not known, and counts
 *   for nothing
 */
export function chancesOfRise(quantities: readonly (readonly (number | null)[])[]): number[] {
  const blocks = Math.max(0, ...quantities.map(({ length }) => length));
  const scaled = quantities.map((differences) => {
    const root = Math.hypot(...differences.map((one) => one ?? 0));
    return Float64Array.from({ length: blocks }, (_, block) => (root > 0 ? (differences[block] ?? 0) / root : 0));
  });
  const sumOf = (values: Float64Array, signs: Int8Array): number => {
    let sum = 0;
    for (let block = 0; block < blocks; block++) sum += (values[block] ?? 0) * (signs[block] ?? 0);
    return sum;
  };
  const observed = scaled.map((values) => sumOf(values, new Int8Array(blocks).fill(1)));
  const order = [...observed.keys()].sort((one, other) => (observed[one] ?? 0) - (observed[other] ?? 0));
  const asClear = new Float64Array(quantities.length);
  let flips = 0;
  for (const signs of signFlips(blocks)) {
    flips++;
    let max = -Infinity;
    // From the least clear one on, each is compared with the most of those that are not clearer.
    for (const index of order) {
      max = Math.max(max, sumOf(scaled[index] ?? new Float64Array(), signs));
      if (max >= (observed[index] ?? 0) - 1e-9) asClear[index] = (asClear[index] ?? 0) + 1;
    }
  }
  const chances = Array.from(asClear, (count) => count / flips);
  let chance = 0;
  for (const index of order.toReversed()) chances[index] = chance = Math.max(chance, chances[index] ?? 1);
  return chances;
}

/** The smallest chance that so many blocks can have. */
export function rarestRise(blocks: number): number {
  return 1 / Math.min(maxFlips, 2 ** blocks);
}

function* signFlips(blocks: number): Generator<Int8Array> {
  const signs = new Int8Array(blocks).fill(1);
  if (2 ** blocks <= maxFlips) {
    for (let flip = 0; flip < 2 ** blocks; flip++) {
      for (let block = 0; block < blocks; block++) signs[block] = (flip >> block) & 1 ? -1 : 1;
      yield signs;
    }
    return;
  }
  yield signs;
  const random = xoroshiro128plus(seed);
  for (let flip = 1; flip < maxFlips; flip++) {
    for (let from = 0; from < blocks; from += 30) {
      const bits = uniformInt(random, 0, 2 ** 30 - 1);
      for (let block = from; block < Math.min(blocks, from + 30); block++) {
        signs[block] = (bits >> (block - from)) & 1 ? -1 : 1;
      }
    }
    yield signs;
  }
}
