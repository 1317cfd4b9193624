import type { Comparison } from '../../contract/comparison.ts';
import { levelKey, levelWords } from '../../contract/trial.ts';
import { describeChange, remedyOf, scopeWordsOf } from '../words/change-words.ts';
import { metricWords } from '../words/metric-words.ts';
import { capitalise, countInWords } from '../words/quantities.ts';
import { changeWords } from './answer.ts';
import { isClaim } from './claims.ts';
import { type Answer, controlNote } from './statement.ts';

/** An answer to a comparison. */
type Given = Answer & { of: Comparison };

/**
 * One answer over several: what holds for all candidates and levels, or the best of them with the number of the others.
 * A control that fails stands first, since then the others may be wrong, too.
 *
 * @param controls names of candidates with the same configuration as the baseline
 */
export function leadOf(answers: readonly Answer[], controls: readonly string[]): Answer {
  const [first] = answers;
  const given = answers.filter((answer): answer is Given => answer.of?.primary === true);
  if (first === undefined) throw new Error('a result without an answer');
  const [one] = given;
  if (answers.length === 1 || one === undefined) return first;

  const reasons = new Set(given.map(({ verdict, of }) => (isClaim(verdict) ? null : (of.withheld[0] ?? null))));
  const [reason] = reasons;
  if (reasons.size === 1 && reason !== null && reason !== undefined) return withoutVerdict(given, reason, one);

  const judged = given.filter(({ candidate }) => !controls.includes(candidate));
  const failing = given.find(({ candidate, verdict }) => controls.includes(candidate) && isEffect(verdict));
  const said = sentencesOf(judged.length > 0 ? judged : given);
  // A single answer says it itself.
  const control = judged.length === 1 ? [] : [...new Set(given.map(({ of }) => controlNote(of)))];
  const evidence = failing ? [failing.evidence, said.headline, said.evidence] : [said.evidence, ...control];
  return {
    candidate: '',
    verdict: failing ? null : overall(judged),
    headline: failing?.headline ?? said.headline,
    evidence: joined(evidence),
    remains: joined([...new Set(given.map(({ remains }) => remains))]),
    of: null,
  };
}

function withoutVerdict(given: readonly Given[], reason: string, { verdict }: Given): Answer {
  const { many } = kindsOf(given);
  return {
    candidate: '',
    verdict,
    headline: `${verdict === null ? 'Nothing can be concluded' : 'No verdict, only a description'} for ${many}: ${reason}.`,
    evidence: verdict === null ? remedyOf(reason) : '',
    remains: joined([...new Set(given.map(({ remains }) => remains))]),
    of: null,
  };
}

/** `many` is such as `any of the five levels`, `either of the two candidates` or `any of the 20 comparisons`. */
function kindsOf(given: readonly Given[]): { candidates: string[]; levels: number; many: string } {
  const candidates = [...new Set(given.map(({ candidate }) => candidate))];
  const levels = new Set(given.map(({ of }) => levelKey(of.conditions))).size;
  const what = candidates.length === 1 ? 'levels' : levels === 1 ? 'candidates' : 'comparisons';
  const many = `${given.length === 2 ? 'either' : 'any'} of the ${countInWords(given.length)} ${what}`;
  return { candidates, levels, many };
}

function sentencesOf(judged: readonly Given[]): Pick<Answer, 'headline' | 'evidence'> {
  const [only] = judged;
  if (only && judged.length === 1) return only;
  const { candidates, levels } = kindsOf(judged);
  if (candidates.length === 1) return ofLevels(judged);
  return levels === 1 ? ofVariants(judged) : ofBoth(judged, candidates);
}

/** One candidate at several levels. */
function ofLevels(judged: readonly Given[]): Pick<Answer, 'headline' | 'evidence'> {
  const [first] = judged;
  if (!first) return { headline: '', evidence: '' };
  const { candidate, of } = first;
  const baseline = of.baseline.variant;
  const where = capitalise(scopeWordsOf(of).on);
  const groups = byVerdict(judged);
  const [only] = groups.keys();
  if (groups.size === 1 && only !== undefined) {
    const all = judged.length === 2 ? 'at both levels' : `at all ${countInWords(judged.length)} levels`;
    return { headline: `${where}, ${candidate} ${standing[only]} ${baseline} ${all}.`, evidence: rangeOf(judged) };
  }
  const parts = [...groups].map(([words, own]) => {
    const at = own.map((answer) => levelWords(answer.of.conditions));
    return `${words} at ${own.length} of ${judged.length} levels (${list(at)})`;
  });
  return { headline: `${where}, ${candidate} against ${baseline}: ${parts.join(', ')}.`, evidence: rangeOf(judged) };
}

const kinds = ['better', 'worse', 'equivalent', 'inconclusive', 'without a verdict'] as const;

/** What stands between the names of a candidate and the baseline. */
const standing: Record<(typeof kinds)[number], string> = {
  better: 'is better than',
  worse: 'is worse than',
  equivalent: 'is equivalent to',
  inconclusive: 'is inconclusive against',
  'without a verdict': 'has no verdict against',
};

/** Several candidates at one level. */
function ofVariants(judged: readonly Given[]): Pick<Answer, 'headline' | 'evidence'> {
  const groups = byVerdict(judged);
  const none = `${judged.length === 2 ? 'Neither' : 'None'} of the ${countInWords(judged.length)} candidates`;
  if (groups.get('without a verdict')?.length === judged.length) {
    return { headline: `${none} has a verdict.`, evidence: '' };
  }
  const counts = [...groups].map(([words, own]) => `${countInWords(own.length)} ${words}`);
  const evidence = `Of ${countInWords(judged.length)} candidates: ${list(counts)}.`;
  const [best] = ranked(judged.filter(({ verdict }) => verdict === 'better').map(({ of }) => of));
  if (!best) {
    const baseline = judged[0]?.of.baseline.variant ?? '';
    return {
      headline: `${none} is shown to be better than ${baseline}.`,
      evidence,
    };
  }
  return {
    headline: `${capitalise(scopeWordsOf(best).on)}, ${describeChange(best, best.change ?? 0, 'is')}.`,
    evidence,
  };
}

/** Several candidates at several levels. */
function ofBoth(judged: readonly Given[], candidates: readonly string[]): Pick<Answer, 'headline' | 'evidence'> {
  const parts = candidates.map((name) => {
    const own = judged.filter(({ candidate }) => candidate === name);
    const better = own.filter(({ verdict }) => verdict === 'better').length;
    return `${name} is better at ${better === 0 ? 'none' : better} of ${own.length} levels`;
  });
  return { headline: `${capitalise(parts.join(', '))}.`, evidence: '' };
}

/** The best first; those without a change last. */
export function ranked(comparisons: readonly Comparison[]): Comparison[] {
  return comparisons.toSorted((a, b) => gainOf(b) - gainOf(a));
}

/** The change, positive if it is for the better. */
function gainOf({ change, better }: Comparison): number {
  return change === null ? -Infinity : better === 'higher' ? change : -change;
}

/** Such as `TPS: +12.0 % (1 client) to +91.8 % (64 clients).` */
function rangeOf(judged: readonly Given[]): string {
  const known = ranked(judged.map(({ of }) => of).filter(({ change }) => change !== null));
  const [most, least] = [known[0], known.at(-1)];
  if (!most || !least) return '';
  const { label } = metricWords(most);
  const [from, to] = [least, most].map((one) => changeWords(one, one.change));
  if (from === to) return `${label}: ${to} at each level.`;
  return `${label}: ${from} at ${levelWords(least.conditions)} to ${to} at ${levelWords(most.conditions)}.`;
}

function byVerdict(judged: readonly Given[]): Map<(typeof kinds)[number], Given[]> {
  const kindOf = ({ verdict }: Given): (typeof kinds)[number] =>
    verdict === null || verdict === 'descriptive' ? 'without a verdict' : verdict;
  const found = kinds.map((kind) => [kind, judged.filter((answer) => kindOf(answer) === kind)] as const);
  return new Map(found.flatMap(([kind, own]) => (own.length > 0 ? [[kind, own]] : [])));
}

/** The colour of the whole: that of the answers if none contradicts it. */
function overall(judged: readonly Given[]): Answer['verdict'] {
  const claimed = new Set(judged.map(({ verdict }) => verdict).filter(isEffect));
  const [only = 'inconclusive'] = claimed;
  return claimed.size === 1 ? only : 'inconclusive';
}

function joined(sentences: readonly string[]): string {
  return sentences
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .join(' ');
}

function isEffect(verdict: Answer['verdict']): verdict is 'better' | 'worse' {
  return verdict === 'better' || verdict === 'worse';
}

function list(items: readonly string[]): string {
  const last = items.at(-1) ?? '';
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`;
}
