import type { Comparison } from '../../contract/comparison.ts';
import { inScale, type Scale } from '../../contract/format.ts';
import { conditionsWords, levelWords } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { intervalWords } from '../answer/answers.ts';
import { isDoubted, ranked } from '../answer/headline.ts';
import { briefChange } from '../answer/short-words.ts';
import { metricWords, scaleOfCompared } from '../metric-words.ts';
import type { Reported } from '../reported.ts';

/** The change of the metric that decides: a row for each variant or level that was compared. */
export interface ChangePlot {
  /** Name of the metric. */
  metric: string;
  /** What a change to either side is, such as slower and faster. */
  directions: { left: string; right: string };
  /** The smallest change that matters, on the scale of the changes; null if none was declared. */
  threshold: number | null;
  /** Such as `5%`; empty if none was declared. */
  thresholdWords: string;
  /** How a change on the axis is said, in a few letters. */
  words: (change: number) => string;
  /** Whether changes are so large that the axis is logarithmic: it shows how many times as much. */
  isLogarithmic: boolean;
  /** One row needs no words: the headline has them. */
  rows: ChangeRow[];
  /** Where the values of the baseline stand: in a row, or in a column if each level has its own; null with one row. */
  baseline: { variant: string; about: string; value: string; rowsAbove: number } | 'column' | null;
  /** Both sides, if all rows compare the same two variants. */
  sides: { before: string; after: string } | null;
}

export interface ChangeRow {
  name: string;
  /** What sets it apart; empty if its name says it. */
  about: string;
  look: 'better' | 'worse' | 'none' | 'control';
  change: number | null;
  interval: Comparison['interval'];
  /** The changes of single blocks. */
  blocks: number[];
  words: { before: string; after: string; change: string; range: string };
  /** Such as `faster`, `undecided` or `control`. */
  verdict: string;
}

export function changePlot(of: Reported): ChangePlot | null {
  const compared = of.result.comparisons.filter(({ primary }) => primary);
  const [first] = compared;
  if (!first || compared.every(({ change }) => change === null)) return null;
  const { definition } = of.result.experiment;
  const levels = new Set(compared.map(({ conditions }) => levelWords(conditions)));
  const names = new Set(compared.map(({ candidate }) => candidate.variant));
  const { kind, label } = metricWords(first);
  const scale = scaleOfCompared(compared, kind);
  const isRatio = metricNamed(first.metric)?.compared !== 'difference';
  const isLogarithmic =
    isRatio && compared.some(({ change }) => change !== null && changesOf(first.metric, change).isMultiple);
  const controlNames = controlsOf(definition);
  const nameOf = namesOfRows(compared);
  const isOpen = isDoubted(of);
  const aboutOf = (variant: string): string => definition.variants[variant]?.description ?? '';
  const rows = (levels.size === 1 ? ranked(compared) : compared).map((one): ChangeRow => {
    const { candidate } = one;
    const isControl = controlNames.includes(candidate.variant);
    return {
      name: nameOf(one),
      about: names.size === 1 ? '' : aboutOf(candidate.variant),
      look: isControl ? 'control' : isOpen ? 'none' : lookOf(one),
      change: one.change,
      interval: one.interval,
      blocks: one.pairs.flatMap(({ change }) => change ?? []),
      words: wordsOf(one, scale),
      verdict: isControl ? 'control' : isOpen ? 'no verdict' : verdictWord(one),
    };
  });
  return {
    metric: label,
    directions: directionsOf(first),
    threshold: definition.decision.practicalThreshold,
    thresholdWords: changesOf(first.metric).size(definition.decision.practicalThreshold),
    words: (change) => axisWords(change, first.metric, isLogarithmic),
    isLogarithmic,
    rows,
    baseline:
      rows.length === 1
        ? null
        : levels.size > 1
          ? 'column'
          : {
              variant: first.baseline.variant,
              about: aboutOf(first.baseline.variant),
              value: inScale(first.baseline.value, scale),
              rowsAbove: compared.filter(
                ({ change, better }) => change !== null && (better === 'higher' ? change >= 0 : change <= 0),
              ).length,
            },
    sides: names.size === 1 ? { before: first.baseline.variant, after: first.candidate.variant } : null,
  };
}

/** How rows are told apart: by variant, by level, or by both. */
export function namesOfRows(compared: readonly Comparison[]): (one: Comparison) => string {
  const levels = new Set(compared.map(({ conditions }) => levelWords(conditions)));
  const names = new Set(compared.map(({ candidate }) => candidate.variant));
  if (levels.size === 1) return ({ candidate }) => candidate.variant;
  if (names.size === 1) return ({ conditions }) => levelWords(conditions);
  return ({ candidate, conditions }) => conditionsWords({ ...conditions, variant: candidate.variant });
}

function axisWords(change: number, metric: string, isLogarithmic: boolean): string {
  // From 3.0000000004: steps of an axis are no exact numbers.
  if (isLogarithmic) return `${Number((1 + change).toPrecision(3))}×`;
  return Math.abs(change) < 1e-9
    ? '0'
    : changesOf(metric)
        .signed(change)
        .replace(/\.0(?=\D|$)/, '');
}

function directionsOf({ metric, better }: Comparison): ChangePlot['directions'] {
  const { less, more } = metricNamed(metric)?.changePhrase ?? {};
  if (less !== undefined && more !== undefined) return { left: less, right: more };
  return better === 'higher' ? { left: 'worse', right: 'better' } : { left: 'better', right: 'worse' };
}

const verdictWords = { equivalent: 'no change', inconclusive: 'undecided', descriptive: 'no verdict' } as const;

function verdictWord({ verdict, change, metric }: Comparison): string {
  if (verdict === null || change === null) return 'no verdict';
  if (verdict !== 'better' && verdict !== 'worse') return verdictWords[verdict];
  const { changePhrase } = metricNamed(metric) ?? {};
  return changePhrase === undefined ? verdict : change > 0 ? changePhrase.more : changePhrase.less;
}

function lookOf({ verdict }: Comparison): ChangeRow['look'] {
  return verdict === 'better' || verdict === 'worse' ? verdict : 'none';
}

function wordsOf(one: Comparison, scale: Scale): ChangeRow['words'] {
  return {
    before: inScale(one.baseline.value, scale),
    after: inScale(one.candidate.value, scale),
    change: briefChange(one),
    range: one.interval ? intervalWords(one) : '',
  };
}
