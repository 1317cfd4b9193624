import type { Comparison } from '../../contract/comparison.ts';
import { levelKey, levelWords } from '../../contract/trial.ts';
import { fewestPairs } from '../../statistics/exact-interval.ts';
import { metricWords } from '../words/metric-words.ts';
import { absent, countInWords, levelPercent, percent, percentRange } from '../words/quantities.ts';

/** The result for one candidate, in words. */
export interface Answer {
  candidate: string;
  /** null if there is nothing to compare, or if a check failed. */
  verdict: Comparison['verdict'];
  /** One sentence that can be quoted alone, without the figures of `evidence`. */
  headline: string;
  /** The figures behind the sentence, or why nothing is claimed. */
  evidence: string;
}

export interface AnswerContext {
  /** The smallest relative change that matters; null if none was declared. */
  practicalThreshold: number | null;
  /** Whether blocks or runs were repeated. */
  repeats: 'blocks' | 'runs';
  /** Candidates that are the baseline once more, under another name. */
  controls: readonly string[];
}

/** One answer for each pair of variants at each level, in the order of the comparisons. */
export function answers(comparisons: readonly Comparison[], context: AnswerContext): Answer[] {
  const declared = comparisons.find(({ primary }) => primary);
  return pairsIn(comparisons).map((own) => {
    const primary = own.find((comparison) => comparison.primary);
    if (primary) return answer(primary, context);
    const contrast = own.find(({ metric, change }) => metric === declared?.metric && change !== null);
    return contrast ? describeContrast(contrast, context) : nothingDeclared(own[0]?.candidate.variant ?? '');
  });
}

/** Groups the comparisons by pair of variants and level. */
export function pairsIn(comparisons: readonly Comparison[]): Comparison[][] {
  const pairs = new Map<string, Comparison[]>();
  for (const comparison of comparisons) {
    const { baseline, candidate, conditions } = comparison;
    const pair = JSON.stringify([baseline.variant, candidate.variant, levelKey(conditions)]);
    pairs.set(pair, [...(pairs.get(pair) ?? []), comparison]);
  }
  return [...pairs.values()];
}

function answer(primary: Comparison, context: AnswerContext): Answer {
  const { change, interval, verdict, withheld } = primary;
  const candidate = primary.candidate.variant;
  const baseline = primary.baseline.variant;
  const at = atLevel(primary);
  if (withheld.length > 0) {
    const seen =
      change === null
        ? ''
        : ` What was seen all the same: ${describeChange(primary, change, 'was')} (${repeatsInWords(primary, context)}).`;
    return {
      candidate,
      verdict: null,
      headline: `No verdict${at}: ${candidate} cannot be judged against ${baseline}, because a check failed.`,
      evidence: `${withheld.join('; ')}.${seen}`,
    };
  }
  if (change === null || verdict === null) {
    const missing = primary.baseline.n === 0 ? baseline : candidate;
    return {
      candidate,
      verdict: null,
      headline: `There is no answer${at}: ${candidate} cannot be compared with ${baseline}.`,
      evidence: `${missing} has no measurement of ${metricWords(primary).label} that counts.`,
    };
  }

  const label = metricWords(primary).label;
  const statement = describeChange(primary, change, verdict === 'descriptive' ? 'was' : 'is');
  const basis = basisOf(primary, context);
  const threshold = context.practicalThreshold;
  const matters = threshold === null ? '' : ` Changes below ${percent(threshold)} were declared too small to matter.`;

  if (context.controls.includes(candidate) && verdict !== 'descriptive') {
    const same = `${candidate} is ${baseline} once more`;
    const differs = verdict === 'better' || verdict === 'worse';
    return {
      candidate,
      verdict,
      headline: differs
        ? `The control fails: ${same}, yet ${statement}.`
        : `The control holds: ${same}, and no difference between them was found${at}.`,
      evidence: differs
        ? `${label}: ${basis}. Something besides the configuration differs, so the other answers may be wrong as well.`
        : `${label}: ${basis}, which is how far two equal ones can differ here.`,
    };
  }
  switch (verdict) {
    case 'better':
    case 'worse':
      return {
        candidate,
        verdict,
        headline: `${statement.replace(/^the /, 'The ')}.`,
        evidence: `${label}: ${basis}.${matters}`,
      };
    case 'equivalent':
      return {
        candidate,
        verdict,
        headline: `${candidate} and ${baseline} are equivalent for practical purposes${at}.`,
        evidence: `${label}: the difference lies within ${threshold === null ? 'the declared bounds' : `±${percent(threshold)}`} (${basis}).`,
      };
    case 'inconclusive':
      return {
        candidate,
        verdict,
        headline: `Inconclusive${at}: the measurements do not settle how ${candidate} compares with ${baseline}.`,
        evidence: `The best estimate is that ${statement} (${basis}), but ${whyInconclusive(interval, threshold)}. More blocks would narrow the interval.`,
      };
    case 'descriptive':
      return {
        candidate,
        verdict,
        headline: `Descriptive${at}: ${whyDescriptive(primary, context)}, nothing is claimed.`,
        evidence: `What was seen: ${statement} (${basis}). Chance or drift alone could do that.`,
      };
  }
}

/** Describes two variants of which neither is the baseline; only comparisons with the baseline get a verdict. */
function describeContrast(comparison: Comparison, context: AnswerContext): Answer {
  return {
    candidate: comparison.candidate.variant,
    verdict: null,
    headline: `Besides: ${describeChange(comparison, comparison.change ?? 0, 'was')}.`,
    evidence: `${metricWords(comparison).label}: ${basisOf(comparison, context)}. This comparison describes; it has no verdict.`,
  };
}

function basisOf(comparison: Comparison, context: AnswerContext): string {
  const { interval } = comparison;
  return joinList([
    interval ? `interval ${percentRange(interval.low, interval.high)}` : '',
    interval ? `${levelPercent(interval.level)} level` : '',
    repeatsInWords(comparison, context),
  ]);
}

function nothingDeclared(candidate: string): Answer {
  return {
    candidate,
    verdict: null,
    headline: `No verdict on ${candidate}: no metric was declared to decide.`,
    evidence: 'The table describes what was seen.',
  };
}

function describeChange(comparison: Comparison, change: number, is: 'is' | 'was'): string {
  const { metric, baseline, candidate, better, unit } = comparison;
  const at = atLevel(comparison);
  const size = percent(Math.abs(change));
  const [a, b] = [candidate.variant, baseline.variant];
  if (metric === 'tps') return `${a} ${is} ${size} ${change < 0 ? 'slower' : 'faster'} than ${b}${at}`;
  if (metric === 'runtime')
    return `${a} ${is === 'is' ? 'needs' : 'needed'} ${size} ${change < 0 ? 'less' : 'more'} time than ${b}${at}`;
  const { label } = metricWords({ metric, unit });
  const name = better === 'higher' ? label : label.replace(/^latency (.*)$/, '$1 latency');
  return `the ${name} of ${a} ${is} ${size} ${change < 0 ? 'lower' : 'higher'} than that of ${b}${at}`;
}

function repeatsInWords({ baseline, candidate }: Comparison, { repeats }: AnswerContext): string {
  if (baseline.n !== candidate.n) return `${baseline.n} against ${candidate.n} ${repeats}`;
  const noun = baseline.n === 1 ? repeats.slice(0, -1) : repeats;
  return `${countInWords(baseline.n)} ${noun}${repeats === 'runs' ? ' a side' : ''}`;
}

function whyDescriptive({ baseline, candidate, conditions }: Comparison, { repeats }: AnswerContext): string {
  const n = Math.min(baseline.n, candidate.n);
  if (repeats === 'runs') return n === 1 ? 'one run a side' : 'runs without blocks';
  if (n < fewestPairs) return `fewer than ${countInWords(fewestPairs)} blocks`;
  return levelKey(conditions) === levelKey({})
    ? 'the measurements allow no inference'
    : 'this is one of several levels';
}

function whyInconclusive(interval: Comparison['interval'], threshold: number | null): string {
  if (!interval) return 'no interval could be formed';
  if (interval.low <= 0 && interval.high >= 0) return 'the interval includes zero';
  return `the interval includes changes${threshold === null ? '' : ` below ${percent(threshold)}`} that are too small to matter`;
}

/** Text such as ` at 16 clients`; empty if only the variant is varied. */
function atLevel({ conditions }: Comparison): string {
  const words = levelWords(conditions);
  return words === '' ? '' : ` at ${words}`;
}

function joinList(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ') || absent;
}
