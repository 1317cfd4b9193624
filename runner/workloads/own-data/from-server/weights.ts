/** A statement by what it costs its server. */
export interface Share {
  calls: number;
  seconds: number;
}

/** How far the share of a statement in the load may be from that in its source: two points. */
export const tolerance = 0.02;

/** pgbench takes no larger weight. */
const maxDigits = 9;

/**
 * Whole weights for statements, as small as they can be: each statement keeps its share of calls within two points, and so does
 * its share of time, if a call takes as long as before. Each weight is at least 1, so a rare statement needs large weights beside it.
 *
 * @param statements with at least one call each
 */
export function weightsOf(statements: readonly Share[]): number[] {
  const calls = sum(statements.map((one) => one.calls));
  for (let digits = 1; ; digits += 1) {
    const weights = statements.map((one) => Math.max(1, Math.round((one.calls / calls) * 10 ** digits)));
    if (digits === maxDigits || keepShares(statements, weights)) return reduced(weights);
  }
}

/** The shares of calls that weights give. */
export function sharesOf(weights: readonly number[]): number[] {
  const total = sum(weights);
  return weights.map((weight) => (total === 0 ? 0 : weight / total));
}

function keepShares(statements: readonly Share[], weights: readonly number[]): boolean {
  const calls = sharesOf(statements.map((one) => one.calls));
  const seconds = sharesOf(statements.map((one) => one.seconds));
  const secondsThen = sharesOf(statements.map((one, index) => (one.seconds / one.calls) * (weights[index] ?? 0)));
  const isNear = (before: readonly number[], then: readonly number[]): boolean =>
    before.every((share, index) => Math.abs(share - (then[index] ?? 0)) <= tolerance);
  return isNear(calls, sharesOf(weights)) && isNear(seconds, secondsThen);
}

function reduced(weights: readonly number[]): number[] {
  const divisor = weights.reduce(commonDivisor, 0);
  return weights.map((weight) => weight / divisor);
}

function commonDivisor(one: number, other: number): number {
  return other === 0 ? one : commonDivisor(other, one % other);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
