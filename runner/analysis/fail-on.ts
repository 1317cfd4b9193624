import type { Comparison } from '../contract/comparison.ts';

/** What `--fail-on` may name. */
export const unwanted = ['withheld', 'worse', 'inconclusive'] as const;
export type Unwanted = (typeof unwanted)[number];

/**
 * The outcomes among those that a user does not want, a sentence each; empty if there is none. Beside other
 * candidates, controls are left out: where one fails, the verdicts of the others are withheld. Controls alone are judged
 * themselves. A result that decides nothing is withheld, too.
 */
export function outcomesUnwanted(
  comparisons: readonly Comparison[],
  named: readonly Unwanted[],
  controls: readonly string[],
): string[] {
  const isControl = ({ candidate }: Comparison): boolean => controls.includes(candidate.variant);
  const judged = comparisons.filter(({ primary, withheld }) => primary || withheld.length > 0);
  const others = judged.filter((comparison) => !isControl(comparison));
  const deciding = others.length > 0 ? others : judged;
  if (deciding.length === 0) return named.includes('withheld') ? ['--fail-on withheld: nothing was judged.'] : [];
  return deciding.flatMap((comparison) => {
    const control = isControl(comparison);
    const outcome = outcomeOf(comparison, control);
    const { candidate, baseline } = comparison;
    return outcome !== null && named.includes(outcome)
      ? [`--fail-on ${outcome}: ${candidate.variant} against ${baseline.variant}${control ? ', a control' : ''}.`]
      : [];
  });
}

function outcomeOf({ verdict }: Comparison, isControl: boolean): Unwanted | null {
  // A control that differs fails, in whichever direction.
  if (verdict === 'better' && isControl) return 'worse';
  if (verdict === null || verdict === 'descriptive') return 'withheld';
  return verdict === 'worse' || verdict === 'inconclusive' ? verdict : null;
}
