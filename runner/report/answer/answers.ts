import { externalReasonWords } from '../../contract/external-reasons.ts';
import { type Comparison, pairWords } from '../../contract/comparison.ts';
import { withoutStop } from '../../contract/errors.ts';
import { comparedLevel, levelKey, levelOf } from '../../contract/trial.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { unknownWords } from '../../analysis/verdict.ts';
import { absent, capitalise, countInWords } from '../../contract/format.ts';
import { earlierWords, nameWords } from './change-words.ts';
import { startWords } from './start-words.ts';
import type { Result } from '../../contract/result.ts';
import { type Answer, type AnswerContext, stateVerdict } from './statement.ts';
import { describeContrast, explore, nothingDeclared } from './without-verdict.ts';
import { decidingMetric } from '../../contract/experiment/schema.ts';
import { toolOf } from '../../workloads/registry.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { comparedValue } from '../../metrics/value.ts';
import { externalReasonsOf, isRepeatable } from '../../analysis/counted-trials.ts';

/** The changes in one line: `1 +31.0%, 2 +28.4%, 3 (attempt 2) +30.2%`. */
export function pairsInWords(comparison: Comparison): string {
  return comparison.pairs.map((pair) => `${pairWords(pair)} ${changeWords(comparison, pair.change)}`).join(', ');
}

/** A change of a comparison in words. Shares change by percentage points; large changes are multiples. */
export function changeWords(
  { metric, change: of = null }: Pick<Comparison, 'metric'> & Partial<Pick<Comparison, 'change'>>,
  change: number | null,
): string {
  return changesOf(metric, of).signed(change);
}

/** The interval of a change, as the change itself is said; a dash if there is none. */
export function intervalWords({
  metric,
  change,
  interval,
}: Pick<Comparison, 'metric' | 'change' | 'interval'>): string {
  return interval ? changesOf(metric, change).range(interval.low, interval.high) : absent;
}

/** One answer for each pair of variants at each level, in the order of the comparisons. */
export function answers(comparisons: readonly Comparison[], context: AnswerContext): Answer[] {
  return pairsIn(comparisons).map((own) => {
    const primary = own.find((comparison) => comparison.primary);
    if (primary) {
      const answered = withReplicas(withUnknown(stateVerdict(primary, context), primary), own);
      return withRepeats(withEarlier(answered, primary, context), context);
    }
    const asked = own.find(({ metric, change }) => metric === context.metric && change !== null);
    if (!asked) return nothingDeclared(own[0]?.candidate.variant ?? '');
    return withUnknown(asked.withheld.length > 0 ? explore(asked) : describeContrast(asked), asked);
  });
}

/** Adds to the headline how many trials each side lost, and to the evidence which blocks are unknown. */
function withUnknown({ headline, evidence, ...answered }: Answer, compared: Comparison): Answer {
  const { losses, unknownBlocks = [], verdict } = compared;
  const sides = losses && [
    { name: nameWords(compared.candidate.variant), ...losses.candidate },
    { name: nameWords(compared.baseline.variant), ...losses.baseline },
  ];
  const lost = sides
    ?.map(({ name, lost, of }) => `${name} lost ${lost === 0 ? 'none' : lost} of ${of} trials`)
    .join(', ');
  // If nothing is claimed, the headline already names these blocks.
  const claimed = verdict !== null && verdict !== 'descriptive' && unknownBlocks.length > 0;
  return {
    ...answered,
    headline: lost ? `${withoutStop(headline)}; ${lost}.` : headline,
    evidence: claimed
      ? `${evidence} The interval holds whatever these blocks would have shown: ${unknownWords(unknownBlocks)}.`
      : evidence,
  };
}

/** Adds what each pair of instances showed, if there are too few pairs for a verdict. */
function withReplicas(answered: Answer, own: readonly Comparison[]): Answer {
  const described = own.find(({ primary, scope }) => !primary && scope === 'configurations');
  return described
    ? { ...answered, evidence: `${answered.evidence} Per instance pair: ${pairsInWords(described)}.` }
    : answered;
}

/** Adds how many starts the question had, and what they found: the blocks of one start cannot show how much starts differ. */
function withEarlier(answered: Answer, primary: Comparison, { start, earlier = [] }: AnswerContext): Answer {
  const same = earlier.find(
    ({ baseline, candidate, conditions }) =>
      baseline === primary.baseline.variant &&
      candidate === primary.candidate.variant &&
      levelKey(conditions) === levelKey(primary.conditions),
  );
  const words = [
    ...(start && start.others.length > 0 ? [startWords(start)] : []),
    ...(same ? [earlierWords(same, primary)] : []),
  ];
  return { ...answered, evidence: [answered.evidence, ...words].join(' ') };
}

/**
 * Adds how many blocks were measured again: causing that on purpose selects results (statistics.md, unknown blocks).
 */
function withRepeats(answered: Answer, { remeasured }: AnswerContext): Answer {
  if (!remeasured || remeasured.blocks.length === 0) return answered;
  const { blocks, of, reasons } = remeasured;
  const which = of === 1 ? 'The only block' : `${capitalise(countInWords(blocks.length))} of ${of} blocks`;
  const words = `${which} ${blocks.length === 1 ? 'was' : 'were'} repeated (${reasons.join(', ')}).`;
  return { ...answered, evidence: `${answered.evidence} ${words}` };
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

/** What a result answers: one answer for each pair of variants at each level. */
export function answersOf(result: Result): Answer[] {
  const { comparisons } = result;
  return comparisons.length > 0 ? answers(comparisons, answerContext(result)) : [nothingCompared(result)];
}

function answerContext({ experiment, start, earlier = [], trials }: Result): AnswerContext {
  const { decision, workload } = experiment.definition;
  const declared = metricNamed(decidingMetric(decision));
  const shape = toolOf(workload).shape(workload);
  return {
    metric: decidingMetric(decision),
    practicalThreshold: decision.practicalThreshold,
    controls: controlsOf(experiment.definition),
    isMeasured: (variant, level) =>
      trials.some(
        (trial) =>
          trial.state === 'finished' &&
          trial.conditions.variant === variant &&
          levelKey(comparedLevel(levelOf(trial.conditions))) === levelKey(comparedLevel(level)) &&
          declared !== undefined &&
          comparedValue(declared, trial, shape.limit) !== null,
      ),
    start,
    earlier,
    remeasured: remeasured(trials),
  };
}

/** Blocks with an attempt that something outside the servers spoilt, and with a later attempt. */
function remeasured(trials: Result['trials']): { blocks: number[]; of: number; reasons: string[] } {
  const blocks = [...new Set(trials.map(({ block }) => block))];
  const disturbed = trials.filter(
    (trial) =>
      isRepeatable(trial) && trials.some(({ block, attempt }) => block === trial.block && attempt > trial.attempt),
  );
  return {
    blocks: [...new Set(disturbed.map(({ block }) => block))],
    of: blocks.length,
    reasons: [...new Set(disturbed.flatMap(externalReasonsOf))].map(externalReasonWords),
  };
}

function nothingCompared({ trials }: Result): Answer {
  const finished = trials.filter(({ state }) => state === 'finished').length;
  return {
    candidate: '',
    verdict: null,
    headline: 'No result: nothing could be compared.',
    evidence: `${finished} of ${trials.length} trials finished.`,
    remains: '',
    of: null,
  };
}
