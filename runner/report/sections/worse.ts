import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { changesOf, isMember, metricNamed, metricRank } from '../../metrics/catalogue.ts';
import { canBeFound, changedTogether } from '../../analysis/changed-together.ts';
import { countInWords, inScale, inUnit, nounFor } from '../../contract/format.ts';
import { metricWords, namedWords, scaleOfCompared } from '../metric-words.ts';
import { pairsIn } from '../answer/answers.ts';
import { nameWords } from '../answer/change-words.ts';
import { crossingWords } from './distribution-words.ts';
import { onFile, type Section } from './section.ts';

/** How many metrics that got worse are named beside the answer. */
const maxRegressions = 3;

/** The chance that the sentences of a report name anything although nothing else got worse in any of its pairs. */
const maxChance = 0.05;

/** The share of it that each pair of variants has. @param comparisons of all pairs */
export function chanceEach(comparisons: readonly Comparison[]): number {
  const judged = pairsIn(comparisons).filter((own) => noticedIn(own).length > 0);
  return maxChance / Math.max(1, judged.length);
}

/**
 * What got worse although nobody asked about it: of the metrics that users of the database notice, judged together, those
 * that changed for the worse. Nothing is said where a check takes the verdict away.
 *
 * @param own comparisons of one pair
 */
export function worseIn(own: readonly Comparison[], chance: number): Comparison[] {
  return foundWorse(own, chance).filter((one) => !isExplained(one));
}

function foundWorse(own: readonly Comparison[], chance: number): Comparison[] {
  if (isPairExplained(own)) return [];
  return onWorseSide(changedTogether(lookedAt(own, chance), { side: 'worse', chance }));
}

/** Whether nothing that was looked at changed for the worse, for whatever reason. */
export function isNothingWorse(own: readonly Comparison[], chance: number): boolean {
  return !isPairExplained(own) && lookedAt(own, chance).length > 0 && foundWorse(own, chance).length === 0;
}

/** Whether what other programs took can explain the change. */
export function isExplained({ undecided }: Comparison): boolean {
  return undecided === 'other-programs';
}

/** Whether it can explain the difference by which this pair is judged: then it can that of every other metric, too. */
export function isPairExplained(own: readonly Comparison[]): boolean {
  return own.some((one) => one.primary && isExplained(one));
}

/** The same of what changed for the better. */
export function betterIn(own: readonly Comparison[], chance: number): Comparison[] {
  return changedTogether(lookedAt(own, chance), { side: 'better', chance }).filter((one) => !isExplained(one));
}

/**
 * Those whose change is for the worse: first what clients measure, then what is left behind, then estimates; of each, the
 * largest change first.
 */
function onWorseSide(some: readonly Comparison[]): Comparison[] {
  return some
    .filter(({ change, better }) => change !== null && (better === 'higher' ? change < 0 : change > 0))
    .toSorted((a, b) => distanceOf(a) - distanceOf(b) || Math.abs(b.change ?? 0) - Math.abs(a.change ?? 0));
}

/** How far a figure is from what clients measure. */
function distanceOf(comparison: Comparison): number {
  return isEstimate(comparison) ? 2 : Number(recoveryMetrics.includes(comparison.metric));
}

function isEstimate({ metric }: Comparison): boolean {
  return metricNamed(metric)?.estimate !== undefined;
}

/**
 * A sentence for each pair of variants. Of several pairs, those that lost nothing are left out. Metrics without an interval
 * cannot be judged: then the sentence says so, with the values of those on the worse side.
 */
export function worseSentences({
  comparisons,
  distributions = [],
}: Pick<Result, 'comparisons' | 'distributions'>): string[] {
  const all = pairsIn(comparisons);
  const chance = chanceEach(comparisons);
  const isOnly = all.length === 1;
  const pairs = all.filter((own) => noticedIn(own).length > 0);
  return pairs.flatMap((own) => {
    const [first] = own;
    const whose = isOnly
      ? ''
      : ` with ${nameWords(first?.candidate.variant ?? '')}${levelSuffix(first?.conditions ?? {})}`;
    if (lookedAt(own, chance).length === 0) return unjudgedSentence(own, { whose, isOnly });
    if (isPairExplained(own)) return [];
    const worse = worseIn(own, chance);
    const explained = foundWorse(own, chance).filter(isExplained);
    const looked = lookedWords(own, chance);
    const where = own.some(({ beside }) => beside !== undefined) ? ' beside other programs' : '';
    if (worse.length === 0 && explained.length > 0) {
      return [`Other programs can explain what else got worse${whose}: ${named(explained)} (checked: ${looked}).`];
    }
    const besides = own.some(({ primary, verdict }) => primary && verdict === 'worse') ? ' else' : '';
    if (worse.length === 0)
      return isOnly ? [`Nothing${besides} got worse${where} beyond noise (checked: ${looked}).`] : [];
    const more = explained.length > 0 ? ` Other programs can explain more: ${named(explained)}.` : '';
    return [
      `Regressions${whose}${where}: ${named(worse, crossingWords(own, distributions))} (checked: ${looked}).${more}`,
    ];
  });
}

function unjudgedSentence(own: readonly Comparison[], { whose, isOnly }: { whose: string; isOnly: boolean }): string[] {
  const unjudged = noticedIn(own);
  const worse = onWorseSide(unjudged);
  if (worse.length === 0 && !isOnly) return [];
  const values = worse.length === 0 ? ', and none points to a regression' : `. Possible regressions: ${named(worse)}`;
  return [
    `Other regressions${whose} could not be judged: ${metricsInWords(unjudged.length)} ${unjudged.length === 1 ? 'has' : 'have'} ${unjudged.every(({ interval }) => interval === null) ? 'no interval' : 'too few blocks for so many comparisons'}${values}.`,
  ];
}

/** Of the metrics besides the declared one. */
function lookedWords(own: readonly Comparison[], chance: number): string {
  const looked = lookedAt(own, chance);
  const unjudged = noticedIn(own).length - looked.length;
  return [
    `${countInWords(looked.length)} other user-facing ${nounFor(looked.length, 'metric')}`,
    ...(unjudged > 0 ? [`${countInWords(unjudged)} more could not be judged`] : []),
  ].join('; ');
}

/** Which metrics were looked at, of any pair, such as `latency average, p99; recovery after a crash`. */
export function lookedAtWords(comparisons: readonly Comparison[]): string {
  const chance = chanceEach(comparisons);
  const looked = pairsIn(comparisons).flatMap((own) => lookedAt(own, chance));
  const names = [...new Set(looked.map(({ metric }) => metric))].toSorted((a, b) => metricRank(a) - metricRank(b));
  const statistics = names.flatMap((name) => metricNamed(name)?.statistic ?? []);
  const others = names.filter((name) => metricNamed(name)?.statistic === undefined);
  return [
    ...(statistics.length > 0 ? [`latency ${statistics.join(', ')}`] : []),
    ...others.map((name) => namedWords(name).label),
  ].join('; ');
}

function metricsInWords(count: number): string {
  return `${countInWords(count)} ${nounFor(count, 'metric')}`;
}

/**
 * The first few and every estimate in words, and how many more there are.
 *
 * @param crossing where the distributions of latency cross, which stands with the first percentile
 */
function named(worse: readonly Comparison[], crossing = ''): string {
  const percentile = worse.find(({ metric }) => {
    const { statistic, quantile } = metricNamed(metric) ?? {};
    return statistic !== undefined && quantile !== undefined;
  });
  const shown = [...firstMeasured(worse), ...worse.filter(isEstimate)].map(
    (one) => worseWords(one) + (one === percentile && crossing !== '' ? ` (${crossing})` : ''),
  );
  return `${shown.join('; ')}${worse.length > shown.length ? `, and ${worse.length - shown.length} more` : ''}`;
}

function firstMeasured(worse: readonly Comparison[]): Comparison[] {
  return worse.filter((one) => !isEstimate(one)).slice(0, maxRegressions);
}

/** Such as `latency p99.9 38% higher (22% to 68%), 4.30 to 5.93 ms`. */
function worseWords(comparison: Comparison): string {
  const { metric, change, interval, baseline, candidate } = comparison;
  const words = metricWords(comparison);
  const sizes = changesOf(metric, change);
  const scale = scaleOfCompared([comparison], words.kind);
  const ends = [interval?.low ?? 0, interval?.high ?? 0];
  const [low = 0, high = 0] = sizes.isMultiple ? ends : ends.map(Math.abs).toSorted((a, b) => a - b);
  const range = interval
    ? ` (${sizes.range(low, high)}${isEstimate(comparison) ? ', input uncertainty only' : ''})`
    : '';
  const values = `${inScale(baseline.value, scale)} to ${inUnit(candidate.value, scale)}`;
  return `${words.label}${isEstimate(comparison) ? ',' : ''} ${sizes.than(change ?? 0)}${range}, ${values}`;
}

const recovery = 'debt.recoverySeconds';
/** Users notice them only if recovery takes noticeably longer or shorter: by themselves, nobody notices dirty buffers. */
const recoveryMetrics = [recovery, 'debt.dirtyBuffers'];

/** A second more or less after a crash. */
function isNoticeable(before: number | null, after: number | null): boolean {
  return before !== null && after !== null && Math.abs(after - before) >= 1;
}

/** Of what users notice, what has an interval, and blocks enough. */
export function lookedAt(own: readonly Comparison[], chance: number): Comparison[] {
  return noticedIn(own).filter((one) => one.interval !== null && canBeFound(one, chance));
}

/** What users notice besides what decides; nothing if there is no verdict at all. Sums never have an interval. */
function noticedIn(own: readonly Comparison[]): Comparison[] {
  const decides = own.find(({ primary }) => primary);
  if (!decides?.verdict) return [];
  return own.filter(
    (one) =>
      !one.primary && one.change !== null && metricNamed(one.metric)?.compared !== 'totals' && isNoticed(one, own),
  );
}

function isNoticed({ metric }: Comparison, own: readonly Comparison[]): boolean {
  // Dollars per transaction follow from throughput and price, which both stand beside it.
  if (isMember(metric) || metric === 'dollarsPerMillionTransactions') return false;
  if (recoveryMetrics.includes(metric)) {
    return own.some((one) => one.metric === recovery && isNoticeable(one.baseline.value, one.candidate.value));
  }
  return metricNamed(metric)?.reportedByLoad ?? false;
}

/** What got worse although nobody asked about it. */
export const worseSection: Section = {
  id: 'worse',
  blocks: ({ result }) => {
    const chance = chanceEach(result.comparisons);
    const pairs = pairsIn(result.comparisons);
    const areJudged = pairs.length > 0 && pairs.every((own) => lookedAt(own, chance).length > 0);
    const worse = pairs.flatMap((own) => worseIn(own, chance));
    return [
      {
        title: 'Regressions',
        titleIn: onFile,
        summary: worse.length > 0 ? metricsInWords(worse.length) : areJudged ? 'nothing' : 'not judged',
        parts: worseSentences(result).map((text) => ({ kind: 'paragraph', text })),
      },
    ];
  },
};
