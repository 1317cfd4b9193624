import { assertFinite } from './quantiles.ts';

/** 2^24 sums take a tenth of a second; beyond that the signed-rank test says the same. */
const mostValues = 24;

/**
 * Exact sign-flip (one-sample permutation) test of a mean of zero, after Fisher (1935), "The Design of Experiments", 21:
 * the share of all ways to flip the signs of the values that give a mean at least as far from zero. Assumes that each
 * value's sign is a fair coin under "no effect at all", which the random order within blocks makes true. Zeros stay in.
 *
 * @returns two-sided p-value; null where there are no values
 * @throws RangeError for more than 24 values
 */
export function signFlipTest(values: readonly number[]): number | null {
  assertFinite(values);
  const n = values.length;
  if (n === 0) return null;
  if (n > mostValues) throw new RangeError(`${n} values are more than the ${mostValues} that can be enumerated`);
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0));
  const scale = values.reduce((sum, value) => sum + Math.abs(value), 0);
  // Sums that are equal on paper differ by rounding.
  const bar = observed - scale * 1e-12;

  const signs = values.map(() => 1);
  let sum = values.reduce((total, value) => total + value, 0);
  let atLeast = 0;
  // Gray code: from one sum to the next a single sign changes. One half suffices, the other mirrors it.
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
