import { capitalise, countInWords, list, nounFor } from '../../contract/format.ts';
import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { levelWords } from '../../contract/trial.ts';
import type { CpuTakers } from '../first-screen/cpu-takers.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { nameInSentence, nameWords } from './change-words.ts';
import { isClaim } from './claims.ts';
import { type Headlined, type Judged, nameOf, ranked } from './headline.ts';
import {
  afterBlocks,
  causeWords,
  type Claimed,
  claimsOf,
  rangeOf,
  type ShortAnswer,
  sizeAndRange,
} from './short-words.ts';

/** The headline where nothing is better or worse, and what stands below it. */
export function noneClaimed(
  judged: readonly Headlined[],
  result: Result,
  takers: CpuTakers | null,
): { headline: string; more: string } {
  const [first] = judged;
  const reasons = new Set(judged.map(({ why }) => why));
  const [why] = reasons;
  const many = `any of ${countInWords(judged.length)} comparisons`;
  if (first && why !== undefined && why !== null) {
    const [cause, more] = causeWords(first.of, why, takers);
    const others = reasons.size > 1 ? `; ${reasons.size - 1} more ${nounFor(reasons.size - 1, 'reason')}` : '';
    return { headline: `No verdict on ${many}${afterBlocks(first.of, result)}${cause}${others}`, more };
  }
  const isEqual = judged.every(({ standing }) => standing === 'equivalent');
  const headline = isEqual
    ? `No difference that matters in ${many}`
    : `Undecided in ${many}, or no difference that matters`;
  return { headline, more: '' };
}

/** Such as `a is 9 to 39% faster from 4 clients on, and 5.8% slower at 1 client`. */
export function overLevels(judged: readonly Headlined[]): string {
  const [first] = judged;
  if (!first) return '';
  const { metric, candidate, baseline } = first.of;
  const { changePhrase } = metricNamed(metric) ?? {};
  const clauses = (['better', 'worse'] as const).flatMap((verdict) => {
    const size = sizeAt(judged, verdict);
    const own = judged.filter(({ of }) => of.verdict === verdict);
    return size === null ? [] : [`${size.words} ${levelsText(own, judged)}`];
  });
  const rest = judged.length - judged.filter(({ of }) => isClaim(of.verdict)).length;
  const open = rest === 0 ? '' : `; no verdict at ${rest} of ${judged.length} levels`;
  const name = nameWords(candidate.variant);
  const subject = changePhrase ? `${name} is` : `The ${nameInSentence(first.of)} with ${name} is`;
  return `${subject} ${clauses.join(', and ')}, against ${nameWords(baseline.variant)}${open}`;
}

/** Such as `9% to 39% faster`, of the levels with this verdict; null if there are none. */
export function sizeAt(judged: readonly Headlined[], verdict: Claimed['verdict']): Claimed | null {
  const own = judged.filter(({ of }) => of.verdict === verdict);
  const changes = own.map(({ of }) => of.change ?? 0).toSorted((a, b) => a - b);
  const [low, high, metric = ''] = [changes[0], changes.at(-1), own[0]?.of.metric];
  if (low === undefined || high === undefined) return null;
  return { words: changesOf(metric, high).than(low, metricNamed(metric)?.changePhrase, high), verdict };
}

/** Such as `from 4 clients on`, `at all four load levels`, or `at 1 client`. */
function levelsText(own: readonly Headlined[], all: readonly Headlined[]): string {
  const [first] = own;
  if (own.length === all.length)
    return all.length === 2 ? 'at both load levels' : `at all ${countInWords(all.length)} load levels`;
  const begin = first ? all.indexOf(first) : -1;
  const isTail =
    own.length > 1 && own.every((one, index) => all[begin + index] === one) && begin + own.length === all.length;
  const words = own.map(({ of }) => levelWords(of.conditions));
  return isTail ? `from ${words[0]} on` : `at ${list(words)}`;
}

/**
 * What the headline leaves out, such as `Two others are faster, small-wal is slower. The control again, a copy of base, comes out like
 * it.`
 *
 * @param named the one in the headline
 */
export function restOf({ judged, controls }: Judged, named: Comparison | undefined): string {
  const others = judged.filter(({ of }) => of !== named && of.change !== null);
  const [first] = others;
  const { changePhrase } = metricNamed(first?.of.metric ?? '') ?? {};
  const isHigher = first?.of.better === 'higher';
  const better = (isHigher ? changePhrase?.more : changePhrase?.less) ?? 'better';
  const worse = (isHigher ? changePhrase?.less : changePhrase?.more) ?? 'worse';
  const groups = [
    { verdict: 'better', says: better },
    { verdict: 'worse', says: worse },
    { verdict: 'equivalent', says: 'equivalent' },
    { verdict: 'inconclusive', says: 'undecided' },
    { verdict: null, says: 'without a verdict' },
  ].flatMap(({ verdict, says }) => {
    const own = others.filter(({ of }) => of.verdict === verdict);
    const [only] = own;
    if (!only) return [];
    return own.length === 1
      ? { isName: true, text: `${nameWords(only.of.candidate.variant)} is ${says}` }
      : { isName: false, text: `${countInWords(own.length)} others are ${says}` };
  });
  const text = groups.map((group) => group.text).join(', ');
  const alike = controls
    .filter(({ standing }) => standing === 'equivalent')
    .map(
      ({ of: { candidate, baseline } }) =>
        `The control ${nameWords(candidate.variant)}, a copy of ${nameWords(baseline.variant)}, comes out like it.`,
    );
  const [firstGroup] = groups;
  // A name stays as it is.
  return [...(firstGroup ? [`${firstGroup.isName ? text : capitalise(text)}.`] : []), ...alike].join(' ');
}

export function bestOf(
  claimed: readonly Headlined[],
  isNamedByLevel: boolean,
): Pick<ShortAnswer, 'headline' | 'claims' | 'range'> & { named?: Comparison } {
  const order = ranked(claimed.map(({ of }) => of));
  const nameIn = (of: Comparison): string => (isNamedByLevel ? nameOf({ of }) : nameWords(of.candidate.variant));
  const [best] = order;
  const worst = order.at(-1);
  if (best?.verdict === 'better') {
    const headline = `${nameIn(best)} gains the most over ${nameWords(best.baseline.variant)}: ${sizeAndRange(best)}`;
    return { headline, claims: claimsOf(best), range: rangeOf(best).trim(), named: best };
  }
  const isOpen = order.some(({ verdict }) => verdict === 'inconclusive');
  const none = `None ${isOpen ? 'has been shown to be' : 'is'} better than ${best ? nameWords(best.baseline.variant) : 'the baseline'}`;
  if (worst?.verdict !== 'worse') return { headline: none };
  const headline = `${none}: ${nameIn(worst)} loses the most, ${sizeAndRange(worst)}`;
  return { headline, claims: claimsOf(worst), range: rangeOf(worst).trim(), named: worst };
}
