import { worthOf } from '../../analysis/worth.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { isMember, metricNamed, metricRank } from '../../metrics/catalogue.ts';
import { excludesZero } from '../../statistics/exact-interval.ts';
import { changeSizes, labelWithUnit, metricWords, scaleOfCompared } from '../words/metric-words.ts';
import { absent, inScale, percentRange, rangeText, signedPercent } from '../words/quantities.ts';
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
 * notice, if its interval lies on the worse side of zero.
 */
export function worseIn(own: readonly Comparison[]): Comparison[] {
  return own
    .filter(({ metric, primary, change, interval, better }) => {
      if (primary || change === null || interval === null || !isNoticed(metric)) return false;
      return excludesZero(interval) && (better === 'higher' ? change < 0 : change > 0);
    })
    .toSorted((a, b) => Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
}

function isNoticed(metric: string): boolean {
  if (isMember(metric)) return false;
  return metric === 'debt.recoverySeconds' || (metricNamed(metric)?.ofTheLoad ?? false);
}

function shownIn(own: readonly Comparison[]): Comparison[] {
  const worse = worseIn(own).slice(0, mostWorse);
  const named = own.filter(({ primary, metric }) => primary || metric === 'tps' || metric === 'latency.p99');
  return [...new Set([...named, ...worse])]
    .filter(({ metric }) => metric !== 'dollarsPerMillionTransactions')
    .toSorted((a, b) => Number(b.primary) - Number(a.primary) || metricRank(a.metric) - metricRank(b.metric));
}

function figureRow(comparison: Comparison, worse: readonly Comparison[]): Row {
  const { metric, baseline, candidate, change, interval, primary, verdict } = comparison;
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
      primary ? (verdict ?? 'withheld') : isWorse ? 'worse' : '',
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
