import type { Comparison } from '../../contract/comparison.ts';
import { absent, inScale, type Scale } from '../../contract/format.ts';
import { conditionsWords, levelWords } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { changeWords, intervalWords } from '../answer/answers.ts';
import { ranked } from '../answer/headline.ts';
import { judgedIn } from '../answer/short-answer.ts';
import { metricWords, scaleOfCompared } from '../metric-words.ts';
import type { Reported } from '../reported.ts';

/** The change of the metric that decides: a row for each variant or level that was compared. */
export interface ChangePlot {
  /** Name of the metric. */
  metric: string;
  better: Comparison['better'];
  /** The smallest change that matters, on the scale of the changes; null if none was declared. */
  threshold: number | null;
  /** How a change on the axis is said. */
  words: (change: number) => string;
  /** Whether changes are so large that the axis is logarithmic: it shows how many times as much. */
  isLogarithmic: boolean;
  /** One row needs no words: the headline has them. */
  rows: ChangeRow[];
  /** Where the values of the baseline stand: in a row, or in a column if each level has its own; null with one row. */
  baseline: { variant: string; value: string } | 'column' | null;
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
}

export function changePlot(of: Reported): ChangePlot | null {
  const { judged, controls } = judgedIn(of);
  const compared = [...judged, ...controls].map((one) => one.of);
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
  const rows = (levels.size === 1 ? ranked(compared) : compared).map((one): ChangeRow => {
    const { candidate, conditions } = one;
    const isControl = controlNames.includes(candidate.variant);
    return {
      name:
        names.size === 1 && levels.size > 1
          ? levelWords(conditions)
          : levels.size === 1
            ? candidate.variant
            : conditionsWords({ ...conditions, variant: candidate.variant }),
      about: names.size === 1 ? '' : (definition.variants[candidate.variant]?.description ?? ''),
      look: isControl ? 'control' : lookOf(one),
      change: one.change,
      interval: one.interval,
      blocks: one.pairs.flatMap(({ change }) => change ?? []),
      words: wordsOf(one, scale),
    };
  });
  return {
    metric: label,
    better: first.better,
    threshold: definition.decision.practicalThreshold,
    words: (change) => (isLogarithmic ? `${1 + change}×` : changesOf(first.metric).signed(change).replace('.0 ', ' ')),
    isLogarithmic,
    rows,
    baseline:
      rows.length === 1
        ? null
        : levels.size > 1
          ? 'column'
          : { variant: first.baseline.variant, value: inScale(first.baseline.value, scale) },
  };
}

function lookOf({ verdict }: Comparison): ChangeRow['look'] {
  return verdict === 'better' || verdict === 'worse' ? verdict : 'none';
}

function wordsOf(one: Comparison, scale: Scale): ChangeRow['words'] {
  return {
    before: inScale(one.baseline.value, scale),
    after: inScale(one.candidate.value, scale),
    change: one.change === null ? absent : changeWords(one, one.change),
    range: one.interval ? intervalWords(one) : '',
  };
}
