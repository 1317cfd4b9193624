import { namedShare } from '../../analysis/explanation/explain.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Distribution } from '../../contract/distribution.ts';
import type { Explanation } from '../../contract/explanation.ts';
import { excludesZero } from '../../statistics/exact-interval.ts';
import { percent, quantity } from '../../contract/format.ts';
import { nameWords } from '../answer/change-words.ts';
import { isOf, isSame } from '../answer/claims.ts';

/**
 * Where the distributions of latency cross, such as `transactions take longer up to about p70, and less time above`. Empty
 * unless percentiles below and above the crossing change the opposite way, each beyond noise.
 *
 * @param own the comparisons of one pair of variants at one level
 */
export function crossingWords(own: readonly Comparison[], distributions: readonly Distribution[]): string {
  const [first] = own;
  const crossing = first && distributions.find((one) => isOf(one, first))?.crossing;
  if (!first || !crossing) return '';
  const isLongerBelow = crossing.longerBelow === first.candidate.variant;
  const shows = (isBelow: boolean): boolean =>
    own.some(({ metric, change, interval }) => {
      const share = shares[metric];
      if (share === undefined || change === null || interval === null || !excludesZero(interval)) return false;
      return share < crossing.share === isBelow && change > 0 === (isBelow === isLongerBelow);
    });
  if (!shows(true) || !shows(false)) return '';
  const at = `about p${percentile(crossing.share)}`;
  return isLongerBelow
    ? `transactions take longer up to ${at}, and less time above`
    : `transactions take longer above ${at}, and less time below`;
}

const shares: Readonly<Record<string, number>> = {
  'latency.p50': 0.5,
  'latency.p95': 0.95,
  'latency.p99': 0.99,
  'latency.p999': 0.999,
};

/** Classes of latency do not say it more precisely. */
function percentile(share: number): number {
  if (share < 0.9) return Math.round(share * 20) * 5;
  return share < 0.99 ? Math.round(share * 100) : Math.floor(share * 1000) / 10;
}

/**
 * How much of the time of the slower variant is in its slow transactions, in one sentence. None if the faster one has about
 * as much.
 */
export function slowWords(explanation: Explanation, distributions: readonly Distribution[]): string[] {
  const { candidate, slower } = explanation;
  const slow = distributions.find((one) => isSame(one, explanation))?.slow;
  if (!slow) return [];
  const [own, other] = slower === candidate ? [slow.candidate, slow.baseline] : [slow.baseline, slow.candidate];
  if (slow.than === slower || own.time - other.time < namedShare) return [];
  return [
    `With ${nameWords(slower)}, ${percent(own.transactions)} of transactions take ${quantity(slow.fromSeconds, 'latency')} or longer, and account for ${percent(own.time)} of all transaction time; with ${nameWords(slow.than)}, at most 1% do, with ${other.time < 0.005 ? 'less than 0.5%' : percent(other.time)} of the time.`,
  ];
}
