import { programWords } from '../../analysis/validity/trial/neighbours.ts';
import type { Comparison } from '../../contract/comparison.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { percent } from '../../contract/format.ts';

type Beside = NonNullable<Comparison['beside']>;

/** The condition of a verdict that holds only beside other programs, such as `beside other programs, which took on average 61% of this machine’s CPUs, `; otherwise empty. */
export function conditionWords({ beside, ...sides }: Comparison): string {
  return beside?.isCondition ? `beside other programs, which took ${takenWords(beside, sides)}, ` : '';
}

/**
 * What other programs took, and what the change may be without them; empty if they took nothing that counts.
 *
 * @param how.isNamed whether it names the programs
 */
export function besideNote({ beside, metric, change, ...sides }: Comparison, { isNamed = true } = {}): string {
  if (!beside || change === null) return '';
  const taken = beside.isCondition
    ? ` Beside equal programs, ${endsWords(beside.alike, { metric, change })}.`
    : ` Other programs took ${takenWords(beside, sides)}.`;
  const names = beside.programs.map(programWords);
  const named = names.length === 0 || !isNamed ? '' : ` The busiest: ${names.join(', ')} CPUs.`;
  const quiet = saysSomething(beside.quiet, metric)
    ? ` On a quiet machine, ${endsWords(beside.quiet, { metric, change })}.`
    : '';
  return `${taken}${named}${quiet}`;
}

/** Ends that include zero are worth a sentence if they are no farther apart than this factor. */
const narrow = 2;

/** Whether an interval says more than that the change may be of any size. */
function saysSomething({ low, high }: Beside['quiet'], metric: string): boolean {
  if ((low !== null && low > 0) || (high !== null && high < 0)) return true;
  if (low === null || high === null) return false;
  return metricNamed(metric)?.compared === 'difference' || 1 + high <= narrow * (1 + low);
}

/** The means of all trials, such as `on average 61% (slow) and 64% (fast) of this machine’s CPUs`. */
function takenWords({ taken }: Beside, { baseline, candidate }: Pick<Comparison, 'baseline' | 'candidate'>): string {
  const [before, after] = [percent(taken.baseline), percent(taken.candidate)];
  const of = 'of this machine’s CPUs';
  return before === after
    ? `on average ${before} ${of}`
    : `on average ${before} (${baseline.variant}) and ${after} (${candidate.variant}) ${of}`;
}

function endsWords(
  { low, high }: Beside['quiet'],
  { metric, change: of }: Pick<Comparison, 'metric' | 'change'>,
): string {
  const { size, range, isMultiple } = changesOf(metric, of);
  const signed = (change: number): string =>
    isMultiple ? size(change) : `${change < 0 ? '−' : '+'}${size(Math.abs(change))}`;
  if (low === null) return `the change is at most ${signed(high ?? 0)}, and has no lower bound`;
  if (high === null) return `the change is at least ${signed(low)}, and has no upper bound`;
  return `the change lies within ${range(low, high)}`;
}
