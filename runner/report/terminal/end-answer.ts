import type { Comparison } from '../../contract/comparison.ts';
import { withoutStop } from '../../contract/errors.ts';
import { capitalise, countInWords, inScale, inUnit, list, nounFor } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import { levelSuffix, levelWords } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { metricWords, scaleOfCompared } from '../metric-words.ts';
import type { Reported } from '../reported.ts';
import { changeWords, intervalWords } from '../answer/answers.ts';
import { conditionWords } from '../answer/beside-words.ts';
import { nameInSentence } from '../answer/change-words.ts';
import { isClaim } from '../answer/claims.ts';
import { type Headlined, headlined, nameOf, type PrimaryAnswer, ranked } from '../answer/headline.ts';
import { startWords } from '../answer/start-words.ts';
import { whyInconclusive } from '../answer/statement.ts';
import { disagreementWords, effectWords } from '../answer/totals-words.ts';

/** The answer to a question in a line or two, and what it is in units. */
export interface ShortAnswer {
  /** Without a full stop. */
  headline: string;
  /** Sentences; empty if there is nothing to add. */
  lead: string;
  verdict: Comparison['verdict'];
}

/** The answers of a run that decide: those of controls only if there are no others. */
export function judgedIn({ result, answers }: Pick<Reported, 'result' | 'answers'>): {
  judged: Headlined[];
  controls: Headlined[];
} {
  const names = controlsOf(result.experiment.definition);
  const items = answers
    .filter((answer): answer is PrimaryAnswer => answer.of?.primary === true)
    .map((answer) => headlined(answer, names.includes(answer.candidate)));
  const others = items.filter(({ of }) => !names.includes(of.candidate.variant));
  const isOnlyControls = others.length === 0;
  return {
    judged: isOnlyControls ? items : others,
    controls: isOnlyControls ? [] : items.filter((one) => !others.includes(one)),
  };
}

/** One answer over all that a run compared. */
export function shortAnswer(reported: Reported): ShortAnswer {
  const { result, lead, answers } = reported;
  const { judged, controls } = judgedIn(reported);
  const [first] = judged;
  const differing = controls.find(({ standing }) => standing === 'control-differs');
  if (!first) return { headline: withoutStop(lead.headline), lead: lead.evidence, verdict: null };
  if (differing) return controlFails(differing);
  const answer = answers.find(({ of }) => of === first.of);
  if (judged.length === 1 && answer) return oneAnswer(first, withoutStop(answer.headline), result, answer.evidence);
  const claimed = judged.filter(({ of }) => isClaim(of.verdict) && of.change !== null);
  const names = new Set(judged.map(({ of }) => of.candidate.variant));
  const levels = new Set(judged.map(({ of }) => levelWords(of.conditions)));
  const [verdict = null, ...others] = new Set(judged.map(({ of }) => of.verdict));
  const words = {
    lead: [misses(first.of, 'Such ranges miss'), startText(result)].filter(Boolean).join(' '),
    verdict: others.length === 0 ? verdict : null,
  };
  if (claimed.length === 0) return { ...words, headline: noneClaimed(judged, result) };
  if (names.size === 1 && levels.size > 1) return { ...words, headline: overLevels(judged) };
  return { ...words, headline: bestOf(claimed, levels.size > 1) };
}

function controlFails({ of }: Headlined): ShortAnswer {
  const { candidate, baseline } = of;
  return {
    headline: `No verdicts: the control ${candidate.variant}, a copy of ${baseline.variant}, came out ${sizeAndRange(of)}`,
    lead: 'Something besides the settings differs, so any of the changes may be wrong.',
    verdict: null,
  };
}

/** @param stated how the report says it, for a control */
function oneAnswer({ of, standing, why }: Headlined, stated: string, result: Result, evidence: string): ShortAnswer {
  const { verdict, change, interval, metric } = of;
  const [a, b] = [of.candidate.variant, of.baseline.variant];
  const at = levelSuffix(of.conditions);
  const range = interval ? ` (${intervalWords(of)})` : '';
  const inUnits = `${valuesWords(of)}, ${blocksText(of)}.`;
  const lead = [inUnits, misses(of, 'Such a range misses'), startText(result)].filter(Boolean).join(' ');
  const say = (headline: string, below = lead): ShortAnswer => ({ headline, lead: below, verdict });
  if (change === null) return { ...say(`No result${at}: ${a} cannot be compared with ${b}`, evidence), verdict: null };
  if (verdict === null || verdict === 'descriptive') {
    const measured = `Measured, but not a verdict: ${changeWords(of, change)}${range}, ${inUnits}`;
    return say(`No verdict${afterBlocks(of, result)}: ${why ?? 'the measurements allow none'}`, measured);
  }
  const isControl = controlsOf(result.experiment.definition).includes(a);
  if (isControl || standing === 'control-differs') return say(stated);
  const { practicalThreshold } = result.experiment.definition.decision;
  switch (verdict) {
    case 'better':
    case 'worse': {
      const words = `${conditionWords(of)}${effectWords(of, practicalThreshold)}${range}`;
      // A name stays as it is.
      const isNameFirst = !of.beside?.isCondition && metricNamed(metric)?.changePhrase !== undefined;
      return say(isNameFirst ? words : capitalise(words));
    }
    case 'equivalent': {
      const same = metricNamed(metric)?.changePhrase
        ? `${a} is as ${metricNamed(metric)?.changePhrase?.as} as ${b}`
        : `The ${nameInSentence(of)} is the same for ${a} and ${b}`;
      return say(`${same}${at}: any difference is below ${changesOf(metric).size(practicalThreshold)}${range}`);
    }
    case 'inconclusive': {
      const best = `Best estimate ${changeWords(of, change)}. ${inUnits}`;
      if (of.undecided === 'typical-and-total-disagree') return say(`Undecided: ${disagreementWords(of)}`, best);
      if (interval && interval.low < 0 && interval.high > 0) return say(`Undecided: ${mayBe(of, interval)}`, best);
      return say(`Undecided between ${a} and ${b}${at}: ${whyInconclusive(of, practicalThreshold)}`, best);
    }
  }
}

/** Such as `a may be 2% slower to 9% faster than b`. */
function mayBe(of: Comparison, { low, high }: { low: number; high: number }): string {
  const { metric, candidate, baseline, conditions } = of;
  const { changePhrase } = metricNamed(metric) ?? {};
  const { than, isMultiple } = changesOf(metric, high);
  const against = isMultiple ? 'as' : 'than';
  const ends = `${than(low, changePhrase)} to ${than(high, changePhrase)} ${against}`;
  const at = levelSuffix(conditions);
  return changePhrase
    ? `${candidate.variant} may be ${ends} ${baseline.variant}${at}`
    : `the ${nameInSentence(of)} may be ${ends} for ${baseline.variant} with ${candidate.variant}${at}`;
}

function noneClaimed(judged: readonly Headlined[], result: Result): string {
  const [first] = judged;
  const reasons = new Set(judged.map(({ why }) => why));
  const [why] = reasons;
  const many = `any of ${countInWords(judged.length)} comparisons`;
  if (first && why !== undefined && why !== null) {
    return `No verdict on ${many}${afterBlocks(first.of, result)}: ${why}${reasons.size > 1 ? `; ${reasons.size - 1} more ${nounFor(reasons.size - 1, 'reason')}` : ''}`;
  }
  const isEqual = judged.every(({ standing }) => standing === 'equivalent');
  return isEqual ? `No difference that matters in ${many}` : `Undecided in ${many}, or no difference that matters`;
}

/** Such as `a is 9% to 39% faster from 4 clients on, and 5.8% slower at 1 client`. */
function overLevels(judged: readonly Headlined[]): string {
  const [first] = judged;
  if (!first) return '';
  const { metric, candidate, baseline } = first.of;
  const { changePhrase } = metricNamed(metric) ?? {};
  const clauses = (['better', 'worse'] as const).flatMap((verdict) => {
    const own = judged.filter(({ of }) => of.verdict === verdict);
    const changes = own.map(({ of }) => of.change ?? 0).toSorted((a, b) => a - b);
    const [low, high] = [changes[0], changes.at(-1)];
    if (low === undefined || high === undefined) return [];
    return [`${changesOf(metric, high).than(low, changePhrase, high)} ${levelsText(own, judged)}`];
  });
  const rest = judged.length - judged.filter(({ of }) => isClaim(of.verdict)).length;
  const open = rest === 0 ? '' : `; no verdict at ${rest} of ${judged.length} levels`;
  const subject = changePhrase
    ? `${candidate.variant} is`
    : `The ${nameInSentence(first.of)} with ${candidate.variant} is`;
  return `${subject} ${clauses.join(', and ')}, against ${baseline.variant}${open}`;
}

/** Such as `from 4 clients on`, `at all four levels`, or `at 1 client`. */
function levelsText(own: readonly Headlined[], all: readonly Headlined[]): string {
  const [first] = own;
  if (own.length === all.length)
    return all.length === 2 ? 'at both levels' : `at all ${countInWords(all.length)} levels`;
  const begin = first ? all.indexOf(first) : -1;
  const isTail =
    own.length > 1 && own.every((one, index) => all[begin + index] === one) && begin + own.length === all.length;
  const words = own.map(({ of }) => levelWords(of.conditions));
  return isTail ? `from ${words[0]} on` : `at ${list(words)}`;
}

function bestOf(claimed: readonly Headlined[], isNamedByLevel: boolean): string {
  const order = ranked(claimed.map(({ of }) => of));
  const nameIn = (of: Comparison): string => (isNamedByLevel ? nameOf({ of }) : of.candidate.variant);
  const [best] = order;
  const worst = order.at(-1);
  if (best?.verdict === 'better')
    return `${nameIn(best)} gains the most over ${best.baseline.variant}: ${sizeAndRange(best)}`;
  const lost = worst?.verdict === 'worse' ? `: ${nameIn(worst)} loses the most, ${sizeAndRange(worst)}` : '';
  return `None is better than ${best?.baseline.variant ?? 'the baseline'}${lost}`;
}

/** Such as `50% faster (49% to 51%)`. */
function sizeAndRange(of: Comparison): string {
  const { metric, change, interval } = of;
  const words = changesOf(metric, change).than(change ?? 0, metricNamed(metric)?.changePhrase);
  return `${words}${interval ? ` (${intervalWords(of)})` : ''}`;
}

/** Such as `TPS 1,447 → 1,897`. */
export function valuesWords(of: Comparison): string {
  const words = metricWords(of);
  const scale = scaleOfCompared([of], words.kind);
  return `${words.label} ${inScale(of.baseline.value, scale)} → ${inUnit(of.candidate.value, scale)}${words.per}`;
}

function blocksText({ pairs }: Comparison): string {
  return `${countInWords(pairs.length)} ${nounFor(pairs.length, 'block')}`;
}

/** Such as ` after two of seven blocks`; empty if all were measured. */
function afterBlocks({ pairs }: Comparison, { complete, experiment }: Result): string {
  const { blocks } = experiment.definition.protocol;
  return complete || pairs.length >= blocks
    ? ''
    : ` after ${countInWords(pairs.length)} of ${countInWords(blocks)} blocks`;
}

/** Such as `Such a range misses in 3 of 100 runs.`; empty without a range. */
function misses({ interval }: Comparison, such: string): string {
  if (interval === null) return '';
  const rate = (1 - interval.level) * 100;
  return `${such} in ${rate < 1 ? 'less than 1' : Math.round(rate)} of 100 runs.`;
}

function startText({ start }: Result): string {
  return start && start.others.length > 0 ? startWords(start) : '';
}
