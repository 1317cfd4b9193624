import { assertFinite } from './quantiles.ts';

/**
 * Most values that are allowed: their 2^24 sums take a tenth of a second. For more values the signed-rank test says the
 * same.
 */
const mostValues = 24;

/**
 * Exact sign-flip (one-sample permutation) test of a mean of zero, after Fisher (1935), "The Design of Experiments", 21. Of
 * all ways to flip the signs of the values, it takes the share that give a mean at least as far from zero. It assumes that
 * the sign of each value is a fair coin under "no effect at all", which the random order within blocks makes true. Zeros
 * stay in.
 *
 * @returns two-sided p-value; null if there are no values
 * @throws {RangeError} for more than 24 values
 */
export function signFlipTest(values: readonly number[]): number | null {
  assertFinite(values);
  const n = values.length;
  if (n === 0) return null;
  if (n > mostValues) throw new RangeError(`${n} values are more than the ${mostValues} that can be enumerated`);
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0));
  const scale = values.reduce((sum, value) => sum + Math.abs(value), 0);
  // Sums that are mathematically equal may differ by rounding.
  const bar = observed - scale * 1e-12;

  const signs = values.map(() => 1);
  let sum = values.reduce((total, value) => total + value, 0);
  let atLeast = 0;
  // In a Gray code, each sum differs from the one before it in a single sign. Half of the sums are enough: the others
  // mirror them.
  const flips = 2 ** (n - 1);
  for (let step = 1; step <= flips; step++) {
    if (Math.abs(sum) >= bar) atLeast++;
    const index = trailingZeros(step);
    const sign = signs[index] ?? 1;
    sum -= 2 * sign * (values[index] ?? 0);
    signs[index] = -sign;
  }
  return atLeast / flips;
}

function trailingZeros(step: number): number {
  return 31 - Math.clz32(step & -step);
}
