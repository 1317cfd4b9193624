import type { Comparison } from '../../contract/comparison.ts';
import { inScale, inUnit } from '../../contract/format.ts';
import { metricNamed, metricRank } from '../../metrics/catalogue.ts';
import { intervalWords, pairsIn } from '../answer/answers.ts';
import { isClaim } from '../answer/claims.ts';
import { isDoubted } from '../answer/headline.ts';
import { briefChange } from '../answer/short-words.ts';
import { namesOfRows } from './change-plot.ts';
import { type Read, readsIn } from './reads.ts';
import { metricScale, metricWords, scaleOfCompared } from '../metric-words.ts';
import type { Reported } from '../reported.ts';
import { betterIn, chanceEach, isNothingWorse, worseIn } from '../sections/worse.ts';

/** What else users notice that changed, beside the metric that decides. */
export interface OtherChanges {
  better: OtherChange[];
  worse: OtherChange[];
  /** What a transaction of a load that only reads takes, changed or not. */
  reads: OtherChange[];
  /** That nothing got worse, where that was looked for; otherwise empty. */
  nothingWorse: string;
  /** How many more there are. */
  more: number;
  /** The two variants, if only two were compared. */
  sides: { before: string; after: string } | null;
}

export interface OtherChange {
  /** Which variant, at which level; empty if only one was compared. */
  who: string;
  metric: string;
  before: string;
  after: string;
  change: string;
  range: string;
}

/** Rows of both groups together. */
const maxRows = 4;
/** Latencies that got better say the same. */
const maxBetter = 2;
/** Beside what a transaction reads. */
const maxBetterBesideReads = 1;
/** So many rows are for what got worse, if there are as many. */
const maxWorse = 3;

/** Nothing where no verdict stands: a reader would take it for one. */
export function otherChanges(of: Reported): OtherChanges {
  const { comparisons } = of.result;
  const { judged } = of;
  const isOpen = isDoubted(of);
  const nameOfRow = namesOfRows(judged.map((one) => one.of));
  const chance = chanceEach(comparisons);
  const found = judged.flatMap(({ of: primary }) => {
    if (isOpen || !isClaim(primary.verdict)) return [];
    const own = pairsIn(comparisons).find((pair) => pair.includes(primary)) ?? [];
    const who = judged.length > 1 ? nameOfRow(primary) : '';
    return [
      ...worseIn(own, chance)
        .filter((one) => primary.verdict !== 'worse' || !saysTheSame(one, primary))
        .map((one) => ({ side: 'worse', one, who })),
      ...betterIn(own, chance)
        .filter((one) => !saysTheSame(one, primary))
        .toSorted((a, b) => orderOf(a) - orderOf(b))
        .map((one) => ({ side: 'better', one, who })),
    ].filter(({ one }) => !one.primary);
  });
  const rows = (side: string): OtherChange[] => found.filter((one) => one.side === side).map(rowOf);
  const worse = rows('worse').slice(0, Math.max(maxWorse, maxRows - rows('better').length));
  // Of several comparisons, gains stand in the plot.
  const reads = readsIn(of).map(readRow);
  const maxGains = Math.min(reads.length > 0 ? maxBetterBesideReads : maxBetter, maxRows - worse.length);
  const better = judged.length > 1 ? [] : rows('better').slice(0, maxGains);
  const [one, ...others] = judged.map(({ of: primary }) => primary);
  const sides =
    one && others.every((other) => isOf(other, one))
      ? { before: one.baseline.variant, after: one.candidate.variant }
      : null;
  const all = rows('worse').length + (judged.length > 1 ? 0 : rows('better').length);
  const nothingWorse = one && others.length === 0 && !isOpen ? nothingWorseWords(one, comparisons, chance) : '';
  return { better, worse, reads, nothingWorse, more: all - better.length - worse.length, sides };
}

function nothingWorseWords(primary: Comparison, comparisons: readonly Comparison[], chance: number): string {
  const own = pairsIn(comparisons).find((pair) => pair.includes(primary)) ?? [];
  if (!isClaim(primary.verdict) || !isNothingWorse(own, chance)) return '';
  return primary.verdict === 'worse' ? 'nothing else got worse' : 'nothing got worse';
}

/** What users notice first comes first: the slow transactions, then the others in the order of the catalogue. */
export function orderOf({ metric }: Comparison): number {
  return metric === 'latency.p99' ? -1 : metricRank(metric);
}

/** Whether both are of the same two variants. */
function isOf(other: Comparison, one: Comparison): boolean {
  return other.candidate.variant === one.candidate.variant && other.baseline.variant === one.baseline.variant;
}

/** What follows from the metric that decides: another throughput, or the average latency of clients that are always busy. */
export function saysTheSame({ metric }: Comparison, primary: Comparison): boolean {
  const [one, other] = [metricNamed(metric), metricNamed(primary.metric)];
  return one?.kind === other?.kind || (one?.pace === true && other?.pace === true);
}

function readRow({ metric, what, before, after }: Read): OtherChange {
  const scale = metricScale(metric, metricNamed(metric)?.kind ?? 'rate', [before, after]);
  // Beside nothing, the other one has the unit.
  const text = (value: number, other: number): string =>
    value === 0 ? 'none' : other === 0 ? inUnit(value, scale) : inScale(value, scale);
  return {
    who: '',
    metric: what,
    before: text(before, after),
    after: after === 0 ? 'none' : inUnit(after, scale),
    change: '',
    range: '',
  };
}

function rowOf({ one, who }: { one: Comparison; who: string }): OtherChange {
  const words = metricWords(one);
  const scale = scaleOfCompared([one], words.kind);
  return {
    who,
    metric: words.label,
    before: inScale(one.baseline.value, scale),
    after: `${inUnit(one.candidate.value, scale)}${words.per}`,
    change: briefChange(one),
    range: one.interval ? intervalWords(one) : '',
  };
}
