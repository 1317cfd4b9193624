import type { Comparison } from '../contract/comparison.ts';
import type { Result } from '../contract/result.ts';
import { sumsFile } from '../files/sums.ts';
import { withhold } from './validity/judge-validity.ts';

/**
 * Marks a result of which something is not as the manifest of its run has it: it says so first of all, and has no verdict.
 *
 * @param problems what does not agree, in words; a result without any stays as it is
 */
export function markUnverified(result: Result, problems: readonly string[]): Result {
  const known = [...new Set([...(result.unverified ?? []), ...problems])];
  if (known.length === 0) return result;
  return {
    ...result,
    unverified: known,
    warnings: [unverifiedWarning(known), ...result.warnings],
    comparisons: withoutVerdicts(result.comparisons, known),
  };
}

/** Takes every verdict away; the numbers stay, as a description. */
export function withoutVerdicts(comparisons: readonly Comparison[], problems: readonly string[]): Comparison[] {
  const [first = '', ...more] = problems;
  const why = `not verified: ${first.replace(/\.$/, '')}${more.length === 0 ? '' : ` And ${more.length} more`}`;
  return comparisons.map((comparison) => withhold(comparison, [why, ...comparison.withheld]));
}

export function unverifiedWarning(problems: readonly string[]): string {
  return `NOT VERIFIED, so that no number here counts: ${problems.join(' ')}`;
}

/** Said of a run without a manifest, as earlier versions left it. */
export const unsealedWarning = `This run has no ${sumsFile}, so that nobody can tell whether its files are as they were measured.`;

export function markUnsealed(result: Result): Result {
  return { ...result, warnings: [...result.warnings, unsealedWarning] };
}
