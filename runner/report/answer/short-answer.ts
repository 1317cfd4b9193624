import type { Comparison } from '../../contract/comparison.ts';
import { withoutStop } from '../../contract/errors.ts';
import { capitalise, percent } from '../../contract/format.ts';
import type { Result } from '../../contract/result.ts';
import { levelSuffix, levelWords } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { type CpuTakers, cpuTakers } from '../first-screen/cpu-takers.ts';
import type { Reported } from '../reported.ts';
import { worthIn } from '../sections/costs.ts';
import { conditionWords } from './beside-words.ts';
import { nameInSentence, nameWords } from './change-words.ts';
import { isClaim } from './claims.ts';
import type { Headlined } from './headline.ts';
import { bestOf, noneClaimed, overLevels, restOf, sizeAt } from './several-words.ts';
import {
  afterBlocks,
  basisOf,
  blocksText,
  briefChange,
  causeWords,
  claimsOf,
  noBasis,
  rangeOf,
  type ShortAnswer,
  sizeAndRange,
  valuesWords,
} from './short-words.ts';
import { startWords } from './start-words.ts';
import { type Answer, whyInconclusive } from './statement.ts';
import { disagreementWords, effectWords, isOfTypical } from './totals-words.ts';

/** One answer over all that a run compared. */
export function shortAnswer(reported: Reported): ShortAnswer {
  const { result, lead, answers, judged, controls } = reported;
  const [first] = judged;
  const differing = controls.find(({ standing }) => standing === 'control-differs');
  if (!first || reported.isUnderWay)
    return { headline: withoutStop(lead.headline), lead: lead.evidence, basis: noBasis, verdict: null };
  if (differing) return controlFails(differing);
  const answer = answers.find(({ of }) => of === first.of);
  const takers = cpuTakers(reported);
  if (judged.length === 1 && answer) return oneAnswer(first, answer, result, takers);
  const claimed = judged.filter(({ of }) => isClaim(of.verdict) && of.change !== null);
  const names = new Set(judged.map(({ of }) => of.candidate.variant));
  const levels = new Set(judged.map(({ of }) => levelWords(of.conditions)));
  const [verdict = null, ...others] = new Set(judged.map(({ of }) => of.verdict));
  const words = {
    lead: startText(result),
    basis: basisOf(
      judged.map(({ of }) => of),
      result,
    ),
    verdict: others.length === 0 ? verdict : null,
  };
  if (claimed.length === 0) {
    // The headline says why, often by the number of blocks.
    const isWithout = judged.every(({ of }) => !isClaim(of.verdict));
    const { headline, more } = noneClaimed(judged, result, takers);
    const lead = [more, words.lead].filter(Boolean).join(' ');
    return { ...words, ...(isWithout && { basis: noBasis }), headline, lead };
  }
  if (names.size === 1 && levels.size > 1) {
    const claims = (['better', 'worse'] as const).flatMap((one) => sizeAt(judged, one) ?? []);
    return { ...words, headline: overLevels(judged), claims };
  }
  const { named, ...best } = bestOf(claimed, levels.size > 1);
  const rest = levels.size > 1 ? '' : restOf(reported, named);
  return { ...words, ...best, lead: [rest, words.lead].filter(Boolean).join(' ') };
}

function controlFails({ of }: Headlined): ShortAnswer {
  const { candidate, baseline } = of;
  return {
    headline: `No verdicts: the control ${nameWords(candidate.variant)}, a copy of ${nameWords(baseline.variant)}, came out ${sizeAndRange(of)}`,
    range: rangeOf(of).trim(),
    lead: 'Something besides the settings differs, so any of the changes may be wrong.',
    basis: noBasis,
    verdict: null,
  };
}

/** @param answer how the report states it, for a control */
function oneAnswer(
  { of, standing, why }: Headlined,
  answer: Answer,
  result: Result,
  takers: CpuTakers | null,
): ShortAnswer {
  const { verdict, change, interval, metric } = of;
  const [a, b] = [nameWords(of.candidate.variant), nameWords(of.baseline.variant)];
  const at = levelSuffix(of.conditions);
  const range = rangeOf(of);
  const inUnits = `${valuesWords(of)}.`;
  const say = (headline: string, lead = inUnits, basis = basisOf([of], result)): ShortAnswer => ({
    headline,
    claims: claimsOf(of),
    range: range.trim(),
    lead: [lead, startText(result)].filter(Boolean).join(' '),
    basis,
    verdict,
  });
  if (change === null) {
    return { ...say(`No result${at}: ${a} cannot be compared with ${b}`, answer.evidence, noBasis), verdict: null };
  }
  if (verdict === null || verdict === 'descriptive') {
    const [cause, more] = causeWords(of, why ?? 'the measurements allow none', takers);
    const measured = `Measured, but not a verdict: ${briefChange(of)}${range}, ${inUnits}`;
    const after = afterBlocks(of, result);
    const text = after === '' ? `${capitalise(blocksText([of]))}.` : '';
    return say(`No verdict${after}${cause}`, [more, measured].filter(Boolean).join(' '), { brief: text, full: text });
  }
  const isControl = controlsOf(result.experiment.definition).includes(of.candidate.variant);
  if (isControl || standing === 'control-differs')
    return { ...say(withoutStop(answer.headline)), claims: [], range: '' };
  const { practicalThreshold } = result.experiment.definition.decision;
  switch (verdict) {
    case 'better':
    case 'worse': {
      const money = moneyWords(of, result);
      // With a price, the baseline stands below: the headline has room for two lines.
      const isShort = money !== '' && !of.beside?.isCondition && !isOfTypical(of, practicalThreshold);
      const phrase = metricNamed(metric)?.changePhrase;
      if (phrase && isShort) return say(`${a} ${phrase.is} ${sizeAndRange(of)}${at}${money}`);
      const words = `${conditionWords(of)}${effectWords(of, practicalThreshold)}${range}${money}`;
      // A name stays as it is.
      return say(phrase && !of.beside?.isCondition ? words : capitalise(words));
    }
    case 'equivalent': {
      const same = metricNamed(metric)?.changePhrase
        ? `${a} is as ${metricNamed(metric)?.changePhrase?.as} as ${b}`
        : `The ${nameInSentence(of)} is the same with ${a} and ${b}`;
      return say(`${same}${at}: any difference is below ${changesOf(metric).size(practicalThreshold)}${range}`);
    }
    case 'inconclusive': {
      const best = `Best estimate ${briefChange(of)}. ${inUnits}`;
      if (of.undecided === 'typical-and-total-disagree') return say(`Undecided: ${disagreementWords(of)}`, best);
      if (interval && interval.low < 0 && interval.high > 0) return say(`Undecided: ${mayBe(of, interval)}`, best);
      return say(`Undecided between ${a} and ${b}${at}: ${whyInconclusive(of, practicalThreshold)}`, best);
    }
  }
}

/** Such as ` for 6% more money`; empty if prices are not known. */
function moneyWords(of: Comparison, result: Result): string {
  const worth = worthIn(result.comparisons, result).find(({ comparison }) => comparison === of);
  if (!worth) return '';
  const { value } = worth.cost;
  return value === 0 ? ' at the same cost' : ` for ${percent(Math.abs(value))} ${value > 0 ? 'more' : 'less'} money`;
}

/** Such as `a may be 2% slower to 9% faster than b`. */
function mayBe(of: Comparison, { low, high }: { low: number; high: number }): string {
  const { metric, candidate, baseline, conditions } = of;
  const { changePhrase } = metricNamed(metric) ?? {};
  const { than, isMultiple } = changesOf(metric, high);
  const against = isMultiple ? 'as' : 'than';
  const ends = `${than(low, changePhrase)} to ${than(high, changePhrase)} ${against}`;
  const at = levelSuffix(conditions);
  const [a, b] = [nameWords(candidate.variant), nameWords(baseline.variant)];
  return changePhrase
    ? `${a} may be ${ends} ${b}${at}`
    : `the ${nameInSentence(of)} may be ${ends} for ${b} with ${a}${at}`;
}

function startText({ start }: Result): string {
  return start && start.others.length > 0 ? startWords(start) : '';
}
