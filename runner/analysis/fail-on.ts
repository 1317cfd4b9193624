import type { Comparison } from '../contract/comparison.ts';

/** What `--fail-on` may name. */
export const unwanted = ['withheld', 'worse', 'inconclusive'] as const;
export type Unwanted = (typeof unwanted)[number];

/**
 * The outcomes among those that a user does not want, a sentence each; empty if there is none. Controls are left out: where one
 * fails, the verdicts of the others are withheld. A result that decides nothing is withheld, too.
 */
export function outcomesUnwanted(
  comparisons: readonly Comparison[],
  named: readonly Unwanted[],
  controls: readonly string[],
): string[] {
  const deciding = comparisons.filter(
    ({ primary, withheld, candidate }) => (primary || withheld.length > 0) && !controls.includes(candidate.variant),
  );
  if (deciding.length === 0) return named.includes('withheld') ? ['--fail-on withheld: nothing was judged.'] : [];
  return deciding.flatMap((comparison) => {
    const outcome = outcomeOf(comparison);
    const { candidate, baseline } = comparison;
    return outcome !== null && named.includes(outcome)
      ? [`--fail-on ${outcome}: ${candidate.variant} against ${baseline.variant}.`]
      : [];
  });
}

function outcomeOf({ verdict }: Comparison): Unwanted | null {
  if (verdict === null || verdict === 'descriptive') return 'withheld';
  return verdict === 'worse' || verdict === 'inconclusive' ? verdict : null;
}
