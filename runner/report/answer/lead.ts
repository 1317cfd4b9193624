import type { Comparison } from '../../contract/comparison.ts';
import { levelWords } from '../../contract/trial.ts';
import { capitalise } from '../../contract/format.ts';
import { scopeWordsOf } from './change-words.ts';
import { metricWords } from '../metric-words.ts';
import { changeWords, intervalWords } from './answers.ts';
import { isClaim } from './claims.ts';
import { type Headlined, headlineOf, type Judged, nameOf, type PrimaryAnswer, ranked } from './headline.ts';
import { type Answer, controlNote, remedyFor } from './statement.ts';

/**
 * One answer over several, in which each keeps its verdict. A control that differs stands first, since then the others may
 * be wrong, too; other controls are named in the evidence.
 *
 * @param among the answers that decide, and those of controls
 */
export function leadOf(answers: readonly Answer[], among: Judged): Answer {
  const { judged } = among;
  const [first] = answers;
  const answered = answers.filter((answer): answer is PrimaryAnswer => answer.of?.primary === true);
  if (first === undefined) throw new Error('a result without an answer');
  const [one] = answered;
  if (answered.length < 2 || one === undefined) return one ?? first;

  const differing = among.controls.filter(({ standing }) => standing === 'control-differs');
  const remains = joined([...new Set(answered.map((answer) => answer.remains))]);
  const only = answered.find(({ of }) => of === judged[0]?.of);
  if (only && judged.length === 1 && differing.length === 0) return { ...only, remains };
  const scopes = new Set(judged.map(({ of }) => capitalise(scopeWordsOf(of).on)));
  const [on = ''] = scopes;
  return {
    candidate: '',
    verdict: differing.length > 0 ? null : overall(judged),
    headline: headlineOf([...differing, ...judged], scopes.size === 1 ? on : 'By comparison'),
    evidence: joined([remedyIn(judged), extremesOf(judged), ...new Set(answered.map(({ of }) => controlNote(of)))]),
    remains,
    of: null,
  };
}

/** What to do if one failed check takes all verdicts. */
function remedyIn(judged: readonly Headlined[]): string {
  const [why, ...others] = new Set(judged.map((item) => item.why));
  const isOne = others.length === 0 && judged.every(({ of }) => of.verdict === null && of.change !== null);
  return isOne && why !== undefined && judged[0] ? remedyFor(judged[0].of) : '';
}

/** Such as `TPS: −60.1% (−62% to −58%) for a at 4 clients to +50.2% (48% to 53%) for b at 4 clients.` */
function extremesOf(judged: readonly Headlined[]): string {
  const claimed = judged.filter(({ of }) => isClaim(of.verdict) && of.change !== null);
  const shown = claimed.length > 0 ? claimed : judged.filter(({ of }) => of.change !== null);
  const sorted = ranked(shown.map(({ of }) => of));
  const [best, worst] = [sorted[0], sorted.at(-1)];
  if (!best || !worst) return '';
  const isOne = new Set(judged.map(({ of }) => of.candidate.variant)).size === 1;
  const answerWords = (of: Comparison): string => {
    const range = of.interval ? ` (${intervalWords(of)})` : '';
    const level = levelWords(of.conditions);
    const which = !isOne ? ` for ${nameOf({ of })}` : level === '' ? '' : ` at ${level}`;
    return `${changeWords(of, of.change)}${range}${which}`;
  };
  const isSame = changeWords(worst, worst.change) === changeWords(best, best.change);
  const ends = isSame ? `${changeWords(best, best.change)} for each` : `${answerWords(worst)} to ${answerWords(best)}`;
  return `${claimed.length > 0 ? '' : 'Measured, but not a verdict: '}${metricWords(best).label}: ${shown.length === 1 ? answerWords(best) : ends}.`;
}

/** The verdict of the whole: that of all answers, or the direction that no other contradicts. */
function overall(judged: readonly Headlined[]): Answer['verdict'] {
  const verdicts = new Set(judged.map(({ of }) => (of.change === null ? null : of.verdict)));
  const [only = null] = verdicts;
  if (verdicts.size === 1) return only;
  const directions = (['better', 'worse'] as const).filter((one) => verdicts.has(one));
  if ([...verdicts].every((verdict) => !isClaim(verdict))) return null;
  return directions.length === 1 ? (directions[0] ?? null) : 'inconclusive';
}

function joined(sentences: readonly string[]): string {
  return sentences
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .join(' ');
}
