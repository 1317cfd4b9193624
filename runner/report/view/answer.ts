import { unknownWords } from '../../analysis/unknown-words.ts';
import { totalsWithinThreshold, withinThreshold } from '../../analysis/verdict.ts';
import { type Comparison, unitOf } from '../../contract/comparison.ts';
import type { EarlierStarts } from '../../contract/earlier-starts.ts';
import { type Level, levelKey, levelWords } from '../../contract/trial.ts';
import { pairsInWords } from './pairs-table.ts';
import { metricNamed } from '../../metrics/catalogue.ts';
import { changeSizes, metricWords } from '../words/metric-words.ts';
import { absent, countInWords, levelPercent, quantity } from '../words/quantities.ts';
import { earlierWords } from '../words/earlier-words.ts';
import { remedyOf } from '../words/remedies.ts';
import { scopeWordsOf } from '../words/scope-words.ts';
import { capitalise } from '../words/capitalise.ts';

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
  /** The metric that the answer is about: the declared one, or the one that was asked for. */
  metric: string;
  /** The smallest change that matters, relative or of shares a difference; null if none was declared. */
  practicalThreshold: number | null;
  /** Candidates that are the baseline once more. */
  controls: readonly string[];
  /** Whether a finished trial of a variant at a level has a value of the declared metric. */
  isMeasured?: (variant: string, level: Level) => boolean;
  /** What earlier starts of the same experiment found. */
  earlier?: readonly EarlierStarts[];
  /** Blocks that were measured again, and the reasons outside the servers. */
  measuredAgain?: { blocks: readonly number[]; of: number; reasons: readonly string[] };
}

/** One answer for each pair of variants at each level, in the order of the comparisons. */
export function answers(comparisons: readonly Comparison[], context: AnswerContext): Answer[] {
  return pairsIn(comparisons).map((own) => {
    const primary = own.find((comparison) => comparison.primary);
    if (primary) {
      const given = withReplicas(withUnknown(answer(primary, context), primary), own);
      return withRecovery(withRepeats(withEarlier(given, primary, context), context), own, context);
    }
    const asked = own.find(({ metric, change }) => metric === context.metric && change !== null);
    if (!asked) return nothingDeclared(own[0]?.candidate.variant ?? '');
    return withUnknown(asked.withheld.length > 0 ? explore(asked) : describeContrast(asked), asked);
  });
}

/** Adds to the headline what the servers lost, and to the evidence which blocks are unknown. */
function withUnknown({ headline, evidence, ...given }: Answer, compared: Comparison): Answer {
  const { losses, unknownBlocks = [], verdict } = compared;
  const sides = losses && [
    { name: compared.candidate.variant, ...losses.candidate },
    { name: compared.baseline.variant, ...losses.baseline },
  ];
  const lost = sides
    ?.map(({ name, lost, of }) => `${name} lost ${lost === 0 ? 'none' : lost} of ${of} trials`)
    .join(', ');
  // Where nothing is claimed, the headline says it already.
  const claimed = verdict !== null && verdict !== 'descriptive' && unknownBlocks.length > 0;
  return {
    ...given,
    headline: lost ? `${headline.replace(/\.$/, '')}; ${lost}.` : headline,
    evidence: claimed
      ? `${evidence} The interval holds whatever these blocks would have shown: ${unknownWords(unknownBlocks)}.`
      : evidence,
  };
}

/** Adds what each pair of instances showed, if they are too few to be judged. */
function withReplicas(given: Answer, own: readonly Comparison[]): Answer {
  const described = own.find(({ primary, scope }) => !primary && scope === 'configurations');
  return described
    ? { ...given, evidence: `${given.evidence} By pair of instances: ${pairsInWords(described)}.` }
    : given;
}

/** Adds what earlier starts found: the blocks of one start cannot show by how much starts differ. */
function withEarlier(given: Answer, primary: Comparison, { earlier = [] }: AnswerContext): Answer {
  const same = earlier.find(
    ({ baseline, candidate, conditions }) =>
      baseline === primary.baseline.variant &&
      candidate === primary.candidate.variant &&
      levelKey(conditions) === levelKey(primary.conditions),
  );
  return same ? { ...given, evidence: `${given.evidence} ${earlierWords(same, primary)}` } : given;
}

/** Adds how many blocks were measured again: whoever brings that about on purpose selects (statistics.md, unknown blocks). */
function withRepeats(given: Answer, { measuredAgain }: AnswerContext): Answer {
  if (!measuredAgain || measuredAgain.blocks.length === 0) return given;
  const { blocks, of, reasons } = measuredAgain;
  const words = `${capitalise(countInWords(blocks.length))} of ${of} blocks ${blocks.length === 1 ? 'was' : 'were'} measured again (${joinList([...reasons])}).`;
  return { ...given, evidence: `${given.evidence} ${words}` };
}

/** Adds what the speed costs after a crash: only where the sides differ beyond chance, and by a second or more. */
function withRecovery(given: Answer, own: readonly Comparison[], { controls }: AnswerContext): Answer {
  const { candidate, verdict } = given;
  const recovery = own.find(({ metric }) => metric === 'debt.recoverySeconds');
  const settled = verdict === 'better' || verdict === 'worse' || verdict === 'equivalent';
  if (!settled || !recovery?.interval || controls.includes(candidate)) return given;
  const { interval, baseline, candidate: side } = recovery;
  const [after, before] = [side.value, baseline.value];
  const differs = interval.low > 0 || interval.high < 0;
  if (!differs || after === null || before === null || Math.abs(after - before) < 1) return given;
  const words = `After a crash, ${candidate} needs ${quantity(after, 'duration')} to recover instead of ${quantity(before, 'duration')}, by a model.`;
  return { ...given, headline: `${given.headline} ${words}` };
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
  const { on, remains } = scopeWordsOf(primary);
  // Such as `in this start at 16 clients`.
  const where = `${on}${atLevel(primary)}`;
  const { label } = metricWords(primary);
  const basis = basisOf(primary);
  const say = (headline: string, evidence: string): Answer => ({
    candidate,
    verdict: change === null ? null : verdict,
    headline,
    evidence: `${evidence} ${remains}`,
  });

  if (change === null) {
    return say(
      `There is no answer ${where}: ${candidate} cannot be compared with ${baseline}.`,
      whyNoChange(primary, context),
    );
  }
  const seen = `What was seen all the same: ${describeChange(primary, change, 'was')} (${basis}).`;
  if (verdict === null) {
    const [why = 'a check failed', ...besides] = withheld;
    return say(
      `Nothing can be concluded ${where} about ${candidate} against ${baseline}: ${why}.`,
      [remedyOf(why), ...besides.map((other) => `Besides, ${other}.`), seen].join(' '),
    );
  }
  if (verdict === 'descriptive') {
    const [why = 'the measurements allow no inference', ...besides] = withheld;
    return say(
      `Descriptive ${where}, nothing is claimed: ${why}.`,
      [...besides.map((other) => `Besides, ${other}.`), seen].join(' '),
    );
  }

  const statement = describeChange(primary, change, 'is');
  if (context.controls.includes(candidate)) {
    return say(
      ...controlWords(verdict, interval, {
        on,
        where,
        same: `${candidate} is ${baseline} once more`,
        statement,
        label,
        basis,
      }),
    );
  }
  const threshold = context.practicalThreshold;
  const { size } = changeSizes(primary.metric);
  const control = primary.checks
    .filter(({ name, state }) => (name === 'control' || name === 'against the control') && state !== 'pass')
    .map(({ finding }) => ` Control: ${finding}.`)
    .join('');
  switch (verdict) {
    case 'better':
    case 'worse': {
      const matters = threshold === null ? '' : ` Changes below ${size(threshold)} were declared too small to matter.`;
      return say(`${capitalise(on)}, ${statement}.`, `${label}: ${basis}.${matters}${control}`);
    }
    case 'equivalent':
      return say(
        `${capitalise(where)}, ${candidate} and ${baseline} are equivalent${threshold === null ? '' : ` within ±${size(threshold)}`}.`,
        `${label}: the difference lies within ${threshold === null ? 'the declared bounds' : `±${size(threshold)}`} (${basis}).${ofTypicalBlock(primary)}${control}`,
      );
    case 'inconclusive':
      return say(
        `Inconclusive ${where}: the measurements do not settle how ${candidate} compares with ${baseline}.`,
        `The best estimate is that ${statement} (${basis}), but ${whyInconclusive(primary, threshold)}.${whatSettles(primary, control)}${control}`,
      );
  }
}

/** Which side has no value. Where there are pairs, or trials that do not count have values, no side can be named. */
function whyNoChange(comparison: Comparison, { isMeasured }: AnswerContext): string {
  const { label } = metricWords(comparison);
  const sides = [comparison.baseline, comparison.candidate];
  const [one, other] = isMeasured ? sides.filter((side) => !isMeasured(side.variant, comparison.conditions)) : [];
  if (one && other) return `Neither ${one.variant} nor ${other.variant} has a measurement of ${label} that counts.`;
  if (one) return `${one.variant} has no measurement of ${label} that counts.`;
  return sides.every(({ n }) => n > 0)
    ? `The values of ${label} have no ratio.`
    : `No block has a measurement of ${label} of both sides that counts.`;
}

/** Headline and evidence of a control: only one that comes out equivalent shows that equal variants come out equal. */
function controlWords(
  verdict: 'better' | 'worse' | 'equivalent' | 'inconclusive',
  interval: Comparison['interval'],
  {
    on,
    where,
    same,
    statement,
    label,
    basis,
  }: Record<'on' | 'where' | 'same' | 'statement' | 'label' | 'basis', string>,
): [headline: string, evidence: string] {
  switch (verdict) {
    case 'equivalent':
      if (interval && excludesZero(interval)) {
        return [
          `The control differs ${where}, though by less than matters: ${same}, yet ${statement}.`,
          `${label}: ${basis}. What another variant shows counts only beyond that.`,
        ];
      }
      return [`The control holds ${where}: ${same}, and the two are equivalent.`, `${label}: ${basis}.`];
    case 'inconclusive':
      return [
        `The control is not settled ${where}: ${same}, but it is not shown that the two come out equal.`,
        `${label}: ${basis}. Something besides the configuration may make that much of a difference in the other answers, too.`,
      ];
    case 'better':
    case 'worse':
      return [
        `The control fails ${on}: ${same}, yet ${statement}.`,
        `${label}: ${basis}. Something besides the configuration differs, so the other answers may be wrong as well.`,
      ];
  }
}

/** Shows what was asked for only after the run. */
function explore(comparison: Comparison): Answer {
  const { candidate, withheld, change } = comparison;
  const { on, remains } = scopeWordsOf(comparison);
  return {
    candidate: candidate.variant,
    verdict: null,
    headline: `Exploratory ${on}, nothing is claimed: ${describeChange(comparison, change ?? 0, 'was')}.`,
    evidence: `${metricWords(comparison).label}: ${basisOf(comparison)}. ${capitalise(withheld.join('; '))}. Declare it before the next run. ${remains}`,
  };
}

/** Describes two variants of which neither is the baseline; only comparisons with the baseline get a verdict. */
function describeContrast(comparison: Comparison): Answer {
  return {
    candidate: comparison.candidate.variant,
    verdict: null,
    headline: `Besides, ${scopeWordsOf(comparison).on}: ${describeChange(comparison, comparison.change ?? 0, 'was')}.`,
    evidence: `${metricWords(comparison).label}: ${basisOf(comparison)}. This comparison describes; it has no verdict.`,
  };
}

function basisOf(comparison: Comparison): string {
  const { interval } = comparison;
  return joinList([
    interval ? `interval ${changeSizes(comparison.metric).range(interval.low, interval.high)}` : '',
    interval ? `${levelPercent(interval.level)} level` : '',
    repeatsInWords(comparison),
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
  const { metric, baseline, candidate } = comparison;
  const at = atLevel(comparison);
  const size = changeSize(metric, change);
  const [a, b] = [candidate.variant, baseline.variant];
  const name = nameInSentence(comparison);
  const { told } = metricNamed(metric) ?? {};
  if (size === null) return `the ${name} ${is} the same for ${a} and ${b}${at}`;
  if (told) return `${a} ${told[is]} ${size} ${change < 0 ? told.less : told.more} than ${b}${at}`;
  return `the ${name} ${is} ${size} ${change < 0 ? 'lower' : 'higher'} for ${a} than for ${b}${at}`;
}

/** Such as `31 %`, or `less than 0.1 %`; null if there is no change. */
function changeSize(metric: string, change: number): string | null {
  const size = changeSizes(metric).size(Math.abs(change));
  if (!/^0 /.test(size)) return size;
  return change === 0 || metricNamed(metric)?.kind === 'share' ? null : 'less than 0.1 %';
}

/** Such as `p99 latency of my-script`, or `share of transactions within the latency limit`. */
function nameInSentence(comparison: Comparison): string {
  const { label, kind } = metricWords(comparison);
  return metricNamed(comparison.metric)?.inSentence ?? (kind === 'share' ? `share of ${label}` : label);
}

function repeatsInWords(comparison: Comparison): string {
  const { baseline, candidate } = comparison;
  const unit = unitOf(comparison);
  const several = unit.replace(/^\w+/, '$&s');
  if (baseline.n !== candidate.n) return `${baseline.n} against ${candidate.n} ${several}`;
  return `${countInWords(baseline.n)} ${baseline.n === 1 ? unit : several}${unit === 'run' ? ' a side' : ''}`;
}

function whyInconclusive({ interval, pairs, unknownBlocks, metric }: Comparison, threshold: number | null): string {
  if (!interval) return 'no interval could be formed';
  const compared = metricNamed(metric)?.compared;
  const within = threshold !== null && withinThreshold(interval, threshold, compared);
  if (within && unknownBlocks) return 'what the unknown blocks add to the totals has no bound';
  if (within && !totalsWithinThreshold(pairs, threshold, compared)) {
    return `the totals may differ by more than ${changeSizes(metric).size(threshold)}: a few trials are far from the others`;
  }
  return within || excludesZero(interval)
    ? 'it does not hold against the baseline once more'
    : 'the interval includes zero';
}

/** What multiplies a share skews its differences: their means may be beyond the threshold (statistics.md, what is compared how). */
function ofTypicalBlock({ metric }: Comparison): string {
  const isByDifference = metricNamed(metric)?.compared === 'difference';
  return isByDifference
    ? ' This holds for the typical block; blocks with many late transactions may differ by more.'
    : '';
}

function excludesZero({ low, high }: NonNullable<Comparison['interval']>): boolean {
  return low > 0 || high < 0;
}

/** @param control what a control says against it; more blocks would not change that */
function whatSettles({ blocksToSettle }: Comparison, control: string): string {
  if (blocksToSettle !== undefined) {
    return ` About ${blocksToSettle} blocks in all would settle it with an even chance, if they vary as these did.`;
  }
  return control === '' ? ' More blocks may settle it; how many cannot be told.' : '';
}

/** Text such as ` at 16 clients`; empty if only the variant is varied. */
function atLevel({ conditions }: Comparison): string {
  const words = levelWords(conditions);
  return words === '' ? '' : ` at ${words}`;
}

function joinList(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(', ') || absent;
}
