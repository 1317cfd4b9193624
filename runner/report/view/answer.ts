import { type Comparison, pairWords, unitOf } from '../../contract/comparison.ts';
import { withoutStop } from '../../contract/errors.ts';
import { levelKey, levelSuffix } from '../../contract/trial.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { labelWithUnit, metricWords, scaleOfCompared } from '../words/metric-words.ts';
import { right, type Table } from './table.ts';
import {
  type Answer,
  type AnswerContext,
  describeContrast,
  explore,
  nothingDeclared,
  stateVerdict,
} from './statement.ts';
import { unknownWords } from '../../analysis/verdict.ts';
import { earlierWords } from '../words/change-words.ts';
import { startWords } from '../words/start-words.ts';
import { capitalise, countInWords, inScale } from '../../contract/format.ts';

/** One table for each comparison that decides. It has a row for each pair that the estimate used, and no others. */
export function pairsTables(comparisons: readonly Comparison[]): Table[] {
  return comparisons.filter(({ primary, pairs }) => primary && pairs.length > 0).map(pairsTable);
}

function pairsTable(comparison: Comparison): Table {
  const { baseline, candidate, pairs, metric, conditions } = comparison;
  const words = metricWords(comparison);
  const scale = scaleOfCompared(
    pairs.map((pair) => ({
      metric,
      change: hasRatios(comparison) ? pair.change : null,
      baseline: { value: pair.baseline },
      candidate: { value: pair.candidate },
    })),
    words.kind,
  );
  return {
    title: `Blocks that count: ${candidate.variant} against ${baseline.variant}${levelSuffix(conditions)}`,
    columns: [
      right(unitOf(comparison)),
      right(`${baseline.variant}, ${labelWithUnit(words, scale)}`),
      right(`${candidate.variant}, ${labelWithUnit(words, scale)}`),
      right(hasRatios(comparison) ? 'change' : 'difference'),
    ],
    rows: pairs.map((pair) => ({
      cells: [
        pairWords(pair),
        inScale(pair.baseline, scale),
        inScale(pair.candidate, scale),
        hasRatios(comparison) ? changeWords(comparison, pair.change) : inScale(pair.candidate - pair.baseline, scale),
      ],
    })),
    notes: ['The estimate, its interval and every picture use these values and no others.'],
  };
}

/** Whether each pair has a relative change. A pair with a zero has none. */
function hasRatios({ metric, pairs }: Comparison): boolean {
  const isDifference = metricNamed(metric)?.compared === 'difference';
  return isDifference || pairs.every(({ baseline, candidate }) => baseline > 0 && candidate > 0);
}

/** The changes in one line: `1 +31.0 %, 2 +28.4 %, 3 (attempt 2) +30.2 %`. */
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
    { name: compared.candidate.variant, ...losses.candidate },
    { name: compared.baseline.variant, ...losses.baseline },
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
    ? { ...answered, evidence: `${answered.evidence} By pair of instances: ${pairsInWords(described)}.` }
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
  const words = `${which} ${blocks.length === 1 ? 'was' : 'were'} measured again (${reasons.join(', ')}).`;
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
