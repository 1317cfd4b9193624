import type { Comparison } from '../../contract/comparison.ts';
import { capitalise, countInWords, inDigits, inScale, percent, withNoun } from '../../contract/format.ts';
import { partOf, scriptTime } from '../../contract/metric.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { canBeFound, changedTogether } from '../../analysis/changed-together.ts';
import { withinThreshold } from '../../analysis/totals.ts';
import { changesOf } from '../../metrics/catalogue.ts';
import { intervalWords, pairsIn } from '../answer/answers.ts';
import { labelWithUnit, metricWords, scaleOfCompared } from '../metric-words.ts';
import { left, right, type Table } from '../media/table.ts';
import { isExplained } from './worse.ts';
import { onFile, type Part, type Section } from './section.ts';

/** The chance that a report names any script although none changed. All pairs of variants, and both directions, share it. */
const maxChance = 0.05;

/** So many scripts have a row; more are counted. */
const maxRows = 20;

/** Scripts of two variants that got slower or faster, all of them judged together. */
export interface ChangedScripts {
  /** All comparisons of scripts that could be judged. */
  judged: Comparison[];
  /** Those with too few blocks with both sides. */
  unjudged: Comparison[];
  /** The largest change first. */
  slower: Comparison[];
  faster: Comparison[];
  /** Those of which what other programs took can explain the change. */
  explained: Comparison[];
  /** Those that changed beyond noise, but by no more than the practical threshold: two servers often differ by as much. */
  small: Comparison[];
}

/**
 * Finds the scripts that changed, also where other programs can explain the answer: the bound for a script is its own. Nothing is
 * found where a check takes the verdict away.
 *
 * @param own comparisons of one pair of variants
 * @param of.pairs how many pairs the report has
 * @param of.threshold the smallest change that matters: 0.05 is 5%
 * @returns null if there are no two scripts to judge
 */
export function changedScripts(
  own: readonly Comparison[],
  { pairs, threshold }: { pairs: number; threshold: number },
): ChangedScripts | null {
  const scripts = own.filter(({ metric, change }) => partOf(scriptTime, metric) !== null && change !== null);
  const isDecided = own.some(({ primary, verdict }) => primary && verdict !== null);
  if (!isDecided || scripts.length < 2) return null;
  const chance = maxChance / pairs / 2;
  const judged = scripts.filter((one) => one.interval !== null && canBeFound(one, chance));
  const found = (side: 'worse' | 'better'): Comparison[] =>
    changedTogether(judged, { side, chance }).toSorted(
      (one, other) => Math.abs(Math.log1p(other.change ?? 0)) - Math.abs(Math.log1p(one.change ?? 0)),
    );
  const isSmall = ({ change }: Comparison): boolean =>
    change !== null && withinThreshold({ low: change, high: change }, threshold);
  const isNamed = (one: Comparison): boolean => !isSmall(one) && !isExplained(one);
  const [slower, faster] = [found('worse'), found('better')];
  const both = [...slower, ...faster];
  return {
    judged,
    unjudged: scripts.filter((one) => !judged.includes(one)),
    slower: slower.filter(isNamed),
    faster: faster.filter(isNamed),
    explained: both.filter((one) => !isSmall(one) && isExplained(one)),
    small: both.filter(isSmall),
  };
}

/** Which scripts got slower or faster although only their sum was asked about. */
export const changedScriptsSection: Section = {
  id: 'changed-scripts',
  blocks({ result }) {
    const pairs = pairsIn(result.comparisons);
    const threshold = result.experiment.definition.decision.practicalThreshold;
    const parts = pairs.flatMap((own): Part[] => {
      const changed = changedScripts(own, { pairs: pairs.length, threshold });
      if (!changed) return [];
      const [first] = own;
      const variant = `${first?.candidate.variant ?? ''}${levelSuffix(first?.conditions ?? {})}`;
      return [
        { kind: 'paragraph', text: sentence(changed, pairs.length === 1 ? '' : ` with ${variant}`, threshold) },
        { kind: 'table', table: tableOf(changed, own) },
      ];
    });
    return [{ title: 'Which scripts changed', titleIn: onFile, parts }];
  },
};

function sentence(changed: ChangedScripts, whose: string, threshold: number): string {
  const { judged, unjudged, slower, faster, explained, small } = changed;
  const scripts = (count: number): string => withNoun(count, 'script');
  const namesOf = (some: readonly Comparison[]): string =>
    some.map(({ metric }) => partOf(scriptTime, metric) ?? metric).join(', ');
  if (judged.length === 0) {
    return `Which scripts got slower${whose} could not be judged: ${scripts(unjudged.length)} have too few blocks for so many comparisons.`;
  }
  const counts = [
    ...(slower.length > 0 ? [`${countInWords(slower.length)} slower`] : []),
    ...(faster.length > 0 ? [`${countInWords(faster.length)} faster`] : []),
  ];
  // A rare script may be the one that changed.
  const rare = unjudged.length > 0 ? ` Too rare to be judged: ${namesOf(unjudged)}.` : '';
  const little =
    small.length > 0 ? ` ${capitalise(countInWords(small.length))} changed by less than ${percent(threshold)}.` : '';
  const all = `of ${scripts(judged.length)}, judged together`;
  if (counts.length > 0) {
    const others = explained.length > 0 ? ` Other programs can explain more: ${namesOf(explained)}.` : '';
    return `${capitalise(counts.join(', '))}${whose}, by more than ${percent(threshold)}, beyond noise (${all}).${others}${little}${rare}`;
  }
  const none =
    explained.length > 0
      ? `Other programs can explain which scripts changed${whose}: ${namesOf(explained)} (${all}).`
      : `No script got slower or faster${whose} by more than ${percent(threshold)}, beyond noise (${all}).`;
  return `${none}${little}${rare}`;
}

function tableOf({ slower, faster, explained }: ChangedScripts, own: readonly Comparison[]): Table {
  const found = [...slower, ...faster, ...explained];
  const [first] = own;
  const more = found.length - maxRows;
  return {
    title: 'Scripts that changed',
    columns: [
      left('mean time of a script'),
      { ...right(first?.baseline.variant ?? 'baseline', 2), isMixed: true },
      { ...right(first?.candidate.variant ?? 'candidate', 2), isMixed: true },
      right('change'),
      right('confidence interval', 1),
    ],
    rows: found.slice(0, maxRows).map((one) => {
      const { kind } = metricWords(one);
      const scale = scaleOfCompared([one], kind);
      return {
        cells: [
          labelWithUnit({ label: partOf(scriptTime, one.metric) ?? one.metric, per: '' }, scale),
          inScale(one.baseline.value, scale),
          inScale(one.candidate.value, scale),
          changesOf(one.metric, one.change).signed(one.change),
          intervalWords(one),
        ],
      };
    }),
    notes: [
      ...(more > 0 ? [`${inDigits(more)} more changed; the table of all scripts has them.`] : []),
      ...(found.length > 1
        ? ['The largest change first. Scripts share the CPUs, so one that takes more time slows the others, too.']
        : []),
    ],
  };
}
