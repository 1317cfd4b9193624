import type { Comparison, UnknownBlock, Verdict } from '../contract/comparison.ts';
import type { Decision } from '../contract/experiment/schema.ts';
import type { Metric } from '../contract/metric.ts';
import { normalExceededBy } from '../statistics/distributions.ts';
import { minWithUnknown } from '../statistics/signed-rank.ts';
import { medianSpread, spreadWithin } from '../statistics/spread.ts';
import { excludesZero, type Interval } from '../statistics/exact-interval.ts';
import type { Beside, Ends, Estimate } from './estimate.ts';
import { scaleFor } from './scale.ts';
import { contradict, type Totals, withinThreshold } from './totals.ts';

/** Why a comparison is inconclusive. */
export type Undecided = NonNullable<Comparison['undecided']>;

export interface Judgement {
  verdict: Verdict;
  /** Only with an inconclusive verdict. */
  undecided?: Undecided;
}

/**
 * The verdict on an estimate:
 * - equivalent: the whole interval lies within the practical threshold, whether or not it includes zero, and so do
 *   the totals with their error: a side that stalls in one trial of five is not the same. With unknown
 *   pairs, the verdict is never equivalent, since they leave the totals without a bound. Beside other programs, both
 *   must lie within it on a quiet machine, too;
 * - better, worse: it is settled that the candidate differs, and the totals lie on the same side of zero. This settles
 *   the direction. The interval shows whether the change reaches the threshold. Beside other programs, it is settled
 *   if the difference of what they took cannot explain it;
 * - inconclusive: neither is settled;
 * - descriptive: there is no interval.
 *
 * The threshold is taken on the log scale (+5% and -4.8%). So exchanging the two sides mirrors the verdict, and TPS
 * and the runtime of the same work lead to the same verdict. If a metric is compared by differences, its threshold is a
 * difference.
 */
export function judge(
  { estimate, differs }: Judged<Estimate>,
  totals: Totals | null,
  { better, compared }: Pick<Metric, 'better' | 'compared'>,
  { practicalThreshold }: Decision,
  unknown = 0,
): Judgement {
  const { interval, change } = estimate;
  if (!interval || change === null) return { verdict: 'descriptive' };
  const within = withinThreshold(interval, practicalThreshold, compared);
  const areTotalsWithin = totals === null || withinThreshold(totals, practicalThreshold, compared);
  const isWithinQuietly = isEquivalentQuietly(estimate, totals, practicalThreshold, compared);
  if (within && areTotalsWithin && unknown === 0 && isWithinQuietly) return { verdict: 'equivalent' };
  if (differs) return judgeDirection(change, totals, better);
  const why = (): Undecided => {
    if (within && unknown > 0) return 'unknown-blocks';
    if (within) return areTotalsWithin ? 'other-programs' : 'totals-beyond-the-threshold';
    if (!excludesZero(interval)) return 'interval-includes-zero';
    return holdsBeside(estimate) ? 'not-against-the-control' : 'other-programs';
  };
  return { verdict: 'inconclusive', undecided: why() };
}

/** Whether a change stays within the threshold on a quiet machine, also in total. */
function isEquivalentQuietly(
  { interval, beside }: Estimate,
  totals: Totals | null,
  threshold: number,
  compared: Metric['compared'],
): boolean {
  if (!beside || !interval) return true;
  const { low, high } = beside.quiet;
  if (low === null || high === null) return false;
  // The totals are shifted as far as the typical pair.
  const { differenceOf, changeOf } = scaleFor(compared ?? 'ratio');
  const shifted = (total: number, from: number, to: number): number =>
    changeOf(differenceOf(total) + differenceOf(to) - differenceOf(from));
  const moved = totals && {
    low: shifted(totals.low, interval.low, low),
    high: shifted(totals.high, interval.high, high),
  };
  return [{ low, high }, ...(moved ? [moved] : [])].every((range) => withinThreshold(range, threshold, compared));
}

/**
 * Whether an interval that excludes zero also does so with what other programs can explain: beside equal programs (`alike`), or
 * on a quiet machine. If only the first holds, a verdict holds only beside such programs.
 */
export function holdsBeside(
  { interval, beside }: Pick<Estimate, 'interval' | 'beside'>,
  how: keyof Beside = 'alike',
): boolean {
  return interval !== null && (!beside || isSameSide(beside[how], interval));
}

function isSameSide({ low, high }: Ends, of: Pick<Interval, 'low' | 'high'>): boolean {
  return of.low > 0 ? low !== null && low > 0 : of.high < 0 && high !== null && high < 0;
}

/** The verdict on a candidate that is known to differ, and not to be equivalent. */
export function judgeDirection(change: number, totals: Totals | null, better: Metric['better']): Judgement {
  if (contradict(totals, change)) return { verdict: 'inconclusive', undecided: 'typical-and-total-disagree' };
  return { verdict: change > 0 === (better === 'higher') ? 'better' : 'worse' };
}

/** The half-width, in parts of the threshold, at which a comparison comes out equivalent with an even chance (`blocksThatSettle`). */
export const equivalenceShare = 0.7;

/**
 * About how many blocks in all settle an inconclusive comparison with an even chance, if the experiment continued and
 * later blocks varied like those so far. With this number, half of such experiments have the verdict better, worse or
 * equivalent.
 *
 * A comparison is settled at about the half-width at which the interval ends at zero: that is the size of the estimate.
 * If the estimate is within the threshold, it is settled at a half-width of about 0.7 of the threshold. This share was
 * calibrated by simulating experiments of 6 to 20 normal pairs up to that number (`bench/statistics/settling.ts`): the
 * best fit ranges from 0.6 half-way between zero and the threshold to 0.72 at zero. The interval is assumed to be as
 * wide as that of large samples, whose efficiency is 3/π (Hodges & Lehmann 1963). One more pair allows for the discrete
 * levels of small samples.
 *
 * In a crossover of several exchanges, each interval leaves out one exchange, and the farthest ends count. So it takes
 * more blocks: the estimates without one exchange scatter about that of all pairs (the most of several normal values,
 * Blom 1958, "Statistical Estimates and Transformed Beta-Variables").
 *
 * @param changes of the pairs, relative; null if one cannot be calculated
 * @param options.level asked for, before the discrete levels round it up
 * @param options.exchanges of a crossover, in which a pair takes two blocks; 0 without one
 * @param options.unknown pairs whose values are unknown. Each widens the interval by about √12 / n of the spread; with
 *   unknown pairs, only an interval that excludes zero settles the comparison
 * @param options.totals more blocks settle no direction that the totals contradict
 * @returns null if a pair has no ratio, or if only the totals prevent a verdict
 */
export function blocksThatSettle(
  { change, interval }: Estimate,
  changes: readonly (number | null)[],
  {
    level,
    practicalThreshold,
    exchanges,
    unknown = 0,
    compared = 'ratio',
    totals = null,
  }: {
    level: number;
    practicalThreshold: number;
    exchanges: number;
    unknown?: number;
    compared?: Metric['compared'];
    totals?: Totals | null;
  },
): number | null {
  // The scale on which pairs are subtracted.
  const scaled = (size: number): number => (compared === 'difference' ? size : Math.log1p(size));
  const ratios = changes.flatMap((one) => (one !== null && Number.isFinite(scaled(one)) ? [scaled(one)] : []));
  const spread = spreadWithin([ratios]);
  if (change === null || !Number.isFinite(scaled(change)) || !interval || !spread || ratios.length < changes.length)
    return null;
  if (unknown === 0 && withinThreshold(interval, practicalThreshold, compared)) return null;
  const equivalenceHalfWidth = unknown === 0 ? equivalenceShare * scaled(practicalThreshold) : 0;
  const directionHalfWidth = Math.abs(scaled(change));
  if (directionHalfWidth > equivalenceHalfWidth && contradict(totals, change)) return null;
  const halfWidth = Math.max(equivalenceHalfWidth, directionHalfWidth);
  if (halfWidth === 0) return null;
  const quantile = widened(normalExceededBy((1 - level) / 2), exchanges);
  const perRoot = quantile * Math.sqrt(Math.PI / 3) * medianSpread(spread);
  const perPair = unknown * Math.sqrt(12) * Math.sqrt(Math.PI / 3) * medianSpread(spread);
  // The half-width is perRoot / √n + perPair / n: a quadratic equation in √n.
  const root = (perRoot + Math.sqrt(perRoot ** 2 + 4 * halfWidth * perPair)) / (2 * halfWidth);
  const pairs = Math.ceil(root ** 2) + 1;
  const needed = Math.max(pairs, ratios.length + unknown + 1, minWithUnknown(level, unknown));
  if (exchanges === 0) return needed;
  // Every exchange has equally many pairs.
  return 2 * exchanges * Math.ceil(needed / exchanges);
}

/**
 * The half-width, in standard errors of all pairs, of an interval from the lowest to the highest end of several
 * intervals, each of which leaves out one exchange.
 */
function widened(quantile: number, exchanges: number): number {
  if (exchanges < 2) return quantile;
  const farthest = normalExceededBy(0.625 / (exchanges + 0.25));
  return quantile * Math.sqrt(exchanges / (exchanges - 1)) + (farthest * Math.sqrt(exchanges)) / (exchanges - 1);
}

/** How many times better, minus 1, for a relative change: the "% improvement" of the published studies. */
export function speedupOf(change: number | null, { better, compared }: Metric): number | null {
  if (change === null || compared === 'difference') return null;
  if (better === 'higher') return change;
  return change > -1 ? 1 / (1 + change) - 1 : null;
}

/**
 * Such as `block 3 is lost (it lost a trial: with-log-volume failed in measure: the server ended)`. Blocks
 * with the same reason are named together: a server that crashes mostly has one reason for it.
 */
export function unknownWords(unknown: readonly UnknownBlock[]): string {
  const because = new Map<string, string[]>();
  for (const one of unknown) {
    const reason = reasonOf(one);
    because.set(reason, [...(because.get(reason) ?? []), placeOf(one)]);
  }
  return [...because]
    .map(([reason, places]) =>
      places.length === 1
        ? `block ${places.join('')} is lost (${reason})`
        : `blocks ${places.slice(0, -1).join(', ')} and ${places.at(-1)} are lost (each: ${reason})`,
    )
    .join(', ');
}

function placeOf({ block, replica }: UnknownBlock): string {
  return replica === undefined ? String(block) : `${block} on replica ${replica}`;
}

const reasonWords: Readonly<Record<UnknownBlock['reason'], string>> = {
  lost: 'it lost a trial',
  'cut-off': 'it was cut off after its figures were visible, then repeated',
  'no-value': 'it has no value of the deciding metric',
};

function reasonOf({ reason, why }: UnknownBlock): string {
  return `${reasonWords[reason]}: ${why}`;
}

export interface Judged<E extends Estimate> {
  estimate: E;
  /** Whether it is settled that the candidate differs, whatever else was compared. */
  differs: boolean;
}
