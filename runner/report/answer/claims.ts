import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { type Level, levelKey } from '../../contract/trial.ts';

/**
 * The result with explanations and other estimates only of answers that claim something. Where a verdict is withheld, or the
 * measurements allow no inference, these would read as the verdict that is missing.
 */
export function withClaimsOnly(result: Result): Result {
  const { comparisons, explanations, distributions, robustness } = result;
  const verdictOf = (one: Pair): Comparison['verdict'] =>
    comparisons.find((comparison) => comparison.primary && isOf(one, comparison))?.verdict ?? null;
  return {
    ...result,
    ...(explanations && {
      explanations: explanations.filter((one) => ['better', 'worse'].includes(verdictOf(one) ?? '')),
    }),
    ...(distributions && { distributions: distributions.filter((one) => isClaim(verdictOf(one))) }),
    ...(robustness && { robustness: robustness.filter((one) => isClaim(verdictOf(one))) }),
  };
}

/** Two variants at a level. */
interface Pair {
  baseline: string;
  candidate: string;
  conditions: Level;
}

/** Whether a comparison is of these two variants at this level. */
export function isOf(pair: Pair, { baseline, candidate, conditions }: Comparison): boolean {
  return isSame(pair, { baseline: baseline.variant, candidate: candidate.variant, conditions });
}

export function isSame(one: Pair, other: Pair): boolean {
  return (
    one.baseline === other.baseline &&
    one.candidate === other.candidate &&
    levelKey(one.conditions) === levelKey(other.conditions)
  );
}

/** Whether the measurements allow an inference, and no check takes it away. */
export function isClaim(verdict: Comparison['verdict']): boolean {
  return verdict !== null && verdict !== 'descriptive';
}
