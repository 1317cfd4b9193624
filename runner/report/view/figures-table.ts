import { worthOf } from '../../analysis/worth.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { isMember, metricNamed, metricRank } from '../../metrics/catalogue.ts';
import { excludesZero } from '../../statistics/exact-interval.ts';
import { changeSizes, labelWithUnit, metricWords, scaleOfCompared } from '../words/metric-words.ts';
import { absent, countInWords, inScale, percentRange, rangeText, signedPercent } from '../words/quantities.ts';
import { changeWords, pairsIn } from './answer.ts';
import { left, right, type Row, type Table } from './table.ts';

/** How many metrics that got worse are named beside the answer. */
const mostWorse = 3;

/**
 * The absolute values that convince, before and after: the declared metric, throughput and p99 latency, the price, and
 * whatever got worse beyond chance. Without rows if there are several candidates or levels: then the table of the
 * variants stands in its place.
 */
export function figuresTable({ comparisons, variants }: Pick<Result, 'comparisons' | 'variants'>): Table {
  const [own = [], ...others] = pairsIn(comparisons);
  const [first] = own;
  const shown = first && others.length === 0 ? shownIn(own) : [];
  const worse = worseIn(own);
  return {
    title: 'Before and after',
    columns: [
      left(''),
      right(first?.baseline.variant ?? '', 2),
      right(first?.candidate.variant ?? '', 2),
      right('change'),
      right('interval', 1),
      left(''),
    ],
    rows: [...shown.map((one) => figureRow(one, worse)), ...(shown.length > 0 ? priceRows(own, variants) : [])],
    notes: [],
  };
}

/**
 * What got worse although nobody asked about it, the largest change first: each metric that users of the database
 * notice, if its interval lies on the worse side of zero. Nothing is said where a check takes the verdict away.
 */
export function worseIn(own: readonly Comparison[]): Comparison[] {
  return lookedAt(own)
    .filter(({ change, interval, better }) => {
      if (change === null || interval === null || !excludesZero(interval)) return false;
      return better === 'higher' ? change < 0 : change > 0;
    })
    .filter(({ metric, baseline, candidate }) => metric !== recovery || isNoticeable(baseline.value, candidate.value))
    .toSorted((a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
}

/** A sentence for each pair of variants. Of several pairs, those that lost nothing are left out. */
export function worseSentences(comparisons: readonly Comparison[]): string[] {
  const pairs = pairsIn(comparisons).filter((own) => lookedAt(own).length > 0);
  return pairs.flatMap((own) => {
    const [first] = own;
    const count = lookedAt(own).length;
    const worse = worseIn(own);
    const looked = `${countInWords(count)} ${count === 1 ? 'metric' : 'metrics'} looked at`;
    if (worse.length === 0) {
      return pairs.length > 1 ? [] : [`Nothing else that users notice got worse beyond chance (${looked}).`];
    }
    const whose =
      pairs.length > 1 ? ` with ${first?.candidate.variant ?? ''}${levelSuffix(first?.conditions ?? {})}` : '';
    const named = worse.slice(0, mostWorse).map(worseWords);
    const more = worse.length > named.length ? `, and ${worse.length - named.length} more` : '';
    return [`What got worse${whose}: ${named.join('; ')}${more} (${looked}, none of them declared to decide).`];
  });
}

/** Such as `latency p99.9 is 38 % higher (22 to 68 %), 4.30 to 5.93 ms`. */
function worseWords(comparison: Comparison): string {
  const { metric, change, interval, baseline, candidate } = comparison;
  const words = metricWords(comparison);
  const sizes = changeSizes(metric);
  const scale = scaleOfCompared([comparison], words.kind);
  const [low, high] = [Math.abs(interval?.low ?? 0), Math.abs(interval?.high ?? 0)].toSorted((a, b) => a - b);
  const values = `${inScale(baseline.value, scale)} to ${inScale(candidate.value, scale)}${scale.unit === '' ? '' : ` ${scale.unit}`}`;
  return `${words.label} is ${sizes.size(Math.abs(change ?? 0))} ${(change ?? 0) < 0 ? 'lower' : 'higher'} (${sizes.range(low ?? 0, high ?? 0)}), ${values}${metric === recovery ? ' by a model' : ''}`;
}

const recovery = 'debt.recoverySeconds';

/** A second more after a crash. */
function isNoticeable(before: number | null, after: number | null): boolean {
  return before !== null && after !== null && Math.abs(after - before) >= 1;
}

/** What has an interval and is noticed by users, besides what decides; nothing if there is no verdict at all. */
export function lookedAt(own: readonly Comparison[]): Comparison[] {
  const decides = own.find(({ primary }) => primary);
  if (!decides?.verdict) return [];
  return own.filter(({ primary, interval, metric }) => !primary && interval !== null && isNoticed(metric));
}

function isNoticed(metric: string): boolean {
  // Dollars per transaction follow from throughput and price, which both stand beside it.
  if (isMember(metric) || metric === 'dollarsPerMillionTransactions') return false;
  return metric === recovery || (metricNamed(metric)?.ofTheLoad ?? false);
}

/** What the table shows, what decides first. */
export function shownIn(own: readonly Comparison[]): Comparison[] {
  const worse = worseIn(own).slice(0, mostWorse);
  const named = own.filter(({ primary, metric }) => primary || metric === 'tps' || metric === 'latency.p99');
  return [...new Set([...named, ...worse])].toSorted(
    (a, b) => Number(b.primary) - Number(a.primary) || metricRank(a.metric) - metricRank(b.metric),
  );
}

function figureRow(comparison: Comparison, worse: readonly Comparison[]): Row {
  const { metric, baseline, candidate, change, interval, primary, verdict, withheld } = comparison;
  const words = metricWords(comparison);
  const scale = scaleOfCompared([comparison], words.kind);
  const isWorse = worse.includes(comparison);
  return {
    cells: [
      labelWithUnit(words, scale),
      inScale(baseline.value, scale),
      inScale(candidate.value, scale),
      changeWords(comparison, change),
      interval ? changeSizes(metric).range(interval.low, interval.high) : absent,
      primary ? (verdict ?? (withheld.length > 0 ? 'withheld' : 'no verdict')) : isWorse ? 'worse' : '',
    ],
    emphasis: primary ? 'strong' : undefined,
    tone: verdict === 'better' ? 'good' : verdict === 'worse' || isWorse ? 'bad' : undefined,
  };
}

function priceRows(own: readonly Comparison[], variants: Result['variants']): Row[] {
  const [worth] = worthOf(own, variants);
  if (!worth) return [];
  const { baseline, candidate } = worth.comparison;
  const price = (name: string): string => {
    const month = variants.find((variant) => variant.name === name)?.cost?.dollarsPerMonth;
    return month ? `$${rangeText(month, 0)}` : absent;
  };
  const range = ({ low, high }: { low: number | null; high: number | null }): string =>
    low === null || high === null || low === high ? '' : percentRange(low, high);
  return [
    {
      cells: [
        'price a month',
        price(baseline.variant),
        price(candidate.variant),
        signedPercent(worth.cost.value),
        range(worth.cost),
        '',
      ],
    },
    { cells: ['TPS per dollar', '', '', signedPercent(worth.perDollar.value), range(worth.perDollar), ''] },
  ];
}
