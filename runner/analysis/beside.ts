import type { Comparison, Verdict } from '../contract/comparison.ts';
import type { Metric } from '../contract/metric.ts';
import type { Pairing } from './pairing.ts';
import type { ValuePair } from './crossover.ts';
import type { Shifts } from './disturbance.ts';
import { isNoticed, programsBeside, takenOf } from './taken-by-others.ts';
import type { Estimate } from './estimate.ts';
import { contradict, totalsOf } from './totals.ts';
import { holdsBeside } from './verdict.ts';

/** What other programs took of the trials, and what this can explain; undefined if they took nothing that counts. */
export function besideOf(
  estimate: Estimate,
  {
    verdict,
    metric,
    pairs,
    pairing: { counted, shifts },
  }: { verdict: Verdict; metric: Metric; pairs: readonly ValuePair[]; pairing: Pick<Pairing, 'counted' | 'shifts'> },
): Comparison['beside'] {
  if (!estimate.beside || !isNoticed(counted)) return undefined;
  const isDirected = verdict === 'better' || verdict === 'worse';
  const totals = totalsOf(movedToZero(pairs, estimate, shifts), metric.compared);
  return {
    taken: takenOf(counted),
    programs: programsBeside(counted),
    ...estimate.beside,
    isCondition: isDirected && !(holdsBeside(estimate, 'quiet') && !contradict(totals, estimate.change ?? 0)),
  };
}

/** Each pair with as little of the change as other programs leave of it. */
function movedToZero(pairs: readonly ValuePair[], { change }: Estimate, shifts: Shifts | null): ValuePair[] {
  const { lower = 0, higher = 0 } = shifts?.quiet ?? {};
  const moved = (value: number): number => value * Math.exp((change ?? 0) > 0 ? -lower : higher);
  return pairs.map((pair) => {
    const { means } = pair;
    return {
      ...pair,
      candidate: moved(pair.candidate),
      ...(means && { means: { ...means, candidate: moved(means.candidate) } }),
    };
  });
}
