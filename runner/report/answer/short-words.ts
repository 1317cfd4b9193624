import { checkById } from '../../analysis/validity/registry.ts';
import { type Comparison, unitOf, unitWords } from '../../contract/comparison.ts';
import { absent, capitalise, countInWords, inScale, inUnit, levelPercent } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import { levelWords } from '../../contract/trial.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import type { CpuTakers } from '../first-screen/cpu-takers.ts';
import { metricWords, scaleOfCompared } from '../metric-words.ts';
import { intervalWords } from './answers.ts';

/** A verdict in a headline, such as `95% faster`. */
export interface Claimed {
  words: string;
  verdict: 'better' | 'worse';
}

/** How often something was measured, and how often such a range misses: sentences. */
export interface Basis {
  /** For a line or two. */
  brief: string;
  /** With the level of confidence. */
  full: string;
}

/** The answer to a question in a line or two, and what it is in units. */
export interface ShortAnswer {
  /** Without a full stop. */
  headline: string;
  /** Parts of the headline that say a verdict, such as `95% faster`. @default none */
  claims?: readonly Claimed[];
  /** The part of the headline that is its range, with its brackets. @default none */
  range?: string;
  /** Sentences; empty if there is nothing to add. */
  lead: string;
  /** How often it was measured, and how often such a range misses; both empty if the headline says so, or nothing is claimed. */
  basis: Basis;
  verdict: Comparison['verdict'];
}

export const noBasis: Basis = { brief: '', full: '' };

/** Such as `+31%` or `−5.8%`, as a headline would say it; `5.2 times` for a multiple. */
export function briefChange({ metric, change }: Comparison): string {
  if (change === null) return absent;
  const { size, isMultiple } = changesOf(metric, change);
  const isRatio = metricNamed(metric)?.compared !== 'difference';
  if (!isRatio && !isMultiple) return changesOf(metric).signed(change);
  const amount = size(Math.abs(change));
  if (isMultiple) return size(change);
  return amount === size(0) ? amount : `${change > 0 ? '+' : '−'}${amount}`;
}

/** What a headline says of one comparison, if that is better or worse. */
export function claimsOf({ metric, change, verdict }: Comparison): Claimed[] {
  if (change === null || (verdict !== 'better' && verdict !== 'worse')) return [];
  return [{ words: changesOf(metric, change).than(change, metricNamed(metric)?.changePhrase), verdict }];
}

/** Such as `50% faster (49 to 51%)`. */
export function sizeAndRange(of: Comparison): string {
  const { metric, change } = of;
  return `${changesOf(metric, change).than(change ?? 0, metricNamed(metric)?.changePhrase)}${rangeOf(of)}`;
}

/** Such as ` (49 to 51%)`; empty without an interval. */
export function rangeOf(of: Comparison): string {
  return of.interval ? ` (${intervalWords(of)})` : '';
}

/** Such as `TPS 1,447 → 1,897`. */
export function valuesWords(of: Comparison): string {
  const words = metricWords(of);
  const scale = scaleOfCompared([of], words.kind);
  return `${words.label} ${inScale(of.baseline.value, scale)} → ${inUnit(of.candidate.value, scale)}${words.per}`;
}

/** Such as `six blocks`, or `4 to 6 blocks`. */
export function blocksText(compared: readonly Comparison[]): string {
  const counts = compared.map(({ pairs }) => pairs.length);
  const [low, high] = [Math.min(...counts), Math.max(...counts)];
  const [first] = compared;
  const unit = first ? unitOf(first) : 'block';
  return low === high ? `${countInWords(low)} ${unitWords(unit, low)}` : `${low} to ${high} ${unitWords(unit, high)}`;
}

/** Such as ` after two of seven blocks`; empty if all were measured. */
export function afterBlocks({ pairs }: Comparison, { complete, experiment }: Result): string {
  const { blocks } = experiment.definition.protocol;
  return complete || pairs.length >= blocks
    ? ''
    : ` after ${countInWords(pairs.length)} of ${countInWords(blocks)} blocks`;
}

/** A cause that takes more letters stands below the headline, which names the check if one failed. */
const maxCause = 90;

/**
 * What the headline says of a cause, with its colon, and what stands below it.
 *
 * @param takers what used the CPUs, which has a part of its own
 */
export function causeWords(
  { withheld: [first] }: Comparison,
  why: string,
  takers: CpuTakers | null,
): [cause: string, more: string] {
  if (takers !== null && takers.limit !== null) return [`: other programs used ${takers.percent}% of the CPUs`, ''];
  if (why.length <= maxCause) return [`: ${why}`, ''];
  const name = first && checkById(first.id)?.name;
  return [name === undefined ? '' : `: the check “${name}” failed`, `${capitalise(why)}.`];
}

/** Such as `Six blocks, 96.9% confidence (3 of 100 such ranges miss the true change).` */
export function basisOf(compared: readonly Comparison[], { experiment }: Result): Basis {
  const blocks = capitalise(blocksText(compared));
  const at = new Set(compared.map(({ conditions }) => levelWords(conditions))).size > 1 ? ' at each level' : '';
  const [interval] = compared.flatMap((one) => one.interval ?? []);
  if (!interval) return { brief: `${blocks}${at}.`, full: `${blocks}${at}.` };
  const rate = (1 - interval.level) * 100;
  const such = `${rate < 1 ? 'less than 1' : Math.round(rate)} of 100 such ranges ${Math.round(rate) > 1 ? 'miss' : 'misses'} the true change`;
  const order = experiment.definition.protocol.order === 'random' ? ' in random order' : '';
  return {
    brief: `${blocks}${at}; ${such}.`,
    full: `${blocks}${at}${order}; ${levelPercent(interval.level)} confidence (${such}).`,
  };
}
