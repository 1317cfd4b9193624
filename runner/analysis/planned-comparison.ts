import type { Verdict } from '../contract/comparison.ts';
import type { Decision } from '../contract/experiment/schema.ts';
import { excludesZero, type Interval, simultaneousLevel } from '../statistics/exact-interval.ts';
import { decideToStop, planLooks } from '../statistics/sequential.ts';
import { intervalOfSamples, samplesOf } from './exchanges-left-out.ts';
import { judge, withinThreshold } from './verdict.ts';

/** What of a design decides how often a comparison gets which verdict, besides the number of blocks. */
export interface ComparisonDesign {
  decision: Pick<Decision, 'level' | 'practicalThreshold'>;
  /** How many times a crossover exchanges the log volumes, so that a pair is made of two blocks; 0 without one. */
  exchanges: number;
  /** With `until: precision`, the width on the log scale at which to stop; null if all blocks are measured. */
  widest: number | null;
  /** Comparisons that are judged together. */
  comparisons: number;
}

/**
 * The verdict that a planned experiment gives on one comparison, by the rule that decides real ones.
 *
 * Whether other comparisons of the family are found to differ first, which would leave more of the error to this one, is
 * not known beforehand: none is taken for granted. Nor does this comparison gain from a run that goes on because another
 * one is not precise yet. No block is lost.
 *
 * @param blocks planned; with `until: precision` the most
 * @returns a function of the log-ratios of the pairs, one value for each pair of the plan in the order of time, of a metric
 *   of which more is better
 */
export function plannedJudge(
  blocks: number,
  { decision, exchanges, widest, comparisons }: ComparisonDesign,
): (ratios: readonly number[]) => Verdict {
  const level = simultaneousLevel(decision.level, comparisons);
  if (widest === null) {
    const pairs = pairsIn(blocks, exchanges);
    return (ratios) => {
      const values = ratios.slice(0, pairs);
      const numbered = values.map((ratio, index) => ({
        ratio,
        ...(exchanges > 1 && { exchange: 1 + Math.floor((index * exchanges) / pairs) }),
      }));
      return verdictOn(
        values,
        intervalOfSamples(samplesOf(numbered, []), ({ ratio }) => ratio, level),
        decision,
      );
    };
  }
  const looks = planLooks(blocks, decision.level);
  return (ratios) => {
    for (const look of looks) {
      const values = ratios.slice(0, look.blocks);
      const { stop, interval } = decideToStop(values, looks, { widest, comparisons });
      if (stop) return verdictOn(values, interval, decision);
    }
    return 'descriptive';
  };
}

export function pairsIn(blocks: number, exchanges: number): number {
  return exchanges > 0 ? Math.floor(blocks / 2) : blocks;
}

function verdictOn(
  ratios: readonly number[],
  interval: Interval | null,
  { practicalThreshold }: ComparisonDesign['decision'],
): Verdict {
  if (!interval) return 'descriptive';
  const { low, high } = interval;
  const change = { low: Math.expm1(low), high: Math.expm1(high) };
  // The rule asks for the values only there. Both sides vary as much.
  const pairs = withinThreshold(change, practicalThreshold)
    ? ratios.map((ratio) => ({ baseline: Math.exp(-ratio / 2), candidate: Math.exp(ratio / 2) }))
    : [];
  return judge(
    {
      estimate: {
        method: 'simulated',
        interval: { ...interval, ...change },
        // Of the estimate only the side of zero matters, and it lies within the interval.
        change: Math.expm1((low + high) / 2),
      },
      differs: excludesZero({ low, high }),
    },
    pairs,
    { better: 'higher', compared: 'ratio' },
    { metric: '', level: interval.level, practicalThreshold },
  );
}
