import type { Plan } from '../../contract/plan.ts';
import type { Outcome, Start } from '../../contract/start.ts';
import { countInWords } from '../../contract/format.ts';

/**
 * Such as `Run 3 of this question: one cut off, one inconclusive. It needs nine blocks.`; null for a first one that
 * needs no more blocks than the experiment asks for.
 */
export function plannedStartWords({ start, blocks, claims }: Pick<Plan, 'start' | 'blocks' | 'claims'>): string | null {
  if (!start) return null;
  const { asked, others } = start;
  const isRaised = blocks > asked;
  if (others.length === 0) {
    return isRaised
      ? `It needs ${countInWords(blocks)} blocks, not ${countInWords(asked)}: ${countInWords(claims.comparisons)} comparisons share its confidence.`
      : null;
  }
  const takes = isRaised ? ` It needs ${countInWords(blocks)} blocks.` : '';
  const lacks =
    blocks < claims.blocksForVerdict ? ` Set protocol.blocks to ${claims.blocksForVerdict} or more for a verdict.` : '';
  return `${startWords(start)}${takes}${lacks}`;
}

/** Such as `Run 3 of this question: one cut off, one inconclusive.` */
export function startWords({ others }: Pick<Start, 'others'>): string {
  const counts = new Map<Outcome, number>();
  for (const outcome of others) counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  const each = [...counts].map(([outcome, count]) => `${countInWords(count)} ${outcomeWords[outcome]}`);
  return `Run ${others.length + 1} of this question${each.length > 0 ? `: ${each.join(', ')}` : ''}.`;
}

const outcomeWords: Readonly<Record<Outcome, string>> = {
  better: 'better',
  worse: 'worse',
  equivalent: 'equivalent',
  inconclusive: 'inconclusive',
  descriptive: 'without a verdict',
  withheld: 'with the verdict withheld',
  mixed: 'with several verdicts',
  'cut-off': 'cut off',
  failed: 'failed',
  unknown: 'without a recorded end',
};
