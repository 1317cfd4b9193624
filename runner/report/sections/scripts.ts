import type { Comparison } from '../../contract/comparison.ts';
import { capitalise, countInWords, inDigits, inScale, withNoun } from '../../contract/format.ts';
import { partOf, scriptTime } from '../../contract/metric.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { canBeFound, changedTogether } from '../../analysis/changed-together.ts';
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
}

/**
 * Finds the scripts that changed, also where other programs can explain the answer: the bound for a script is its own. Nothing is
 * found where a check takes the verdict away.
 *
 * @param own comparisons of one pair of variants
 * @param pairs how many pairs the report has
 * @returns null if there are no two scripts to judge
 */
export function changedScripts(own: readonly Comparison[], pairs: number): ChangedScripts | null {
  const scripts = own.filter(({ metric, change }) => partOf(scriptTime, metric) !== null && change !== null);
  const isDecided = own.some(({ primary, verdict }) => primary && verdict !== null);
  if (!isDecided || scripts.length < 2) return null;
  const chance = maxChance / pairs / 2;
  const judged = scripts.filter((one) => one.interval !== null && canBeFound(one, chance));
  const found = (side: 'worse' | 'better'): Comparison[] =>
    changedTogether(judged, { side, chance }).toSorted(
      (one, other) => Math.abs(Math.log1p(other.change ?? 0)) - Math.abs(Math.log1p(one.change ?? 0)),
    );
  const [slower, faster] = [found('worse'), found('better')];
  return {
    judged,
    unjudged: scripts.filter((one) => !judged.includes(one)),
    slower: slower.filter((one) => !isExplained(one)),
    faster: faster.filter((one) => !isExplained(one)),
    explained: [...slower, ...faster].filter(isExplained),
  };
}

/** Which scripts got slower or faster although only their sum was asked about. */
export const changedScriptsSection: Section = {
  id: 'changed-scripts',
  blocks({ result }) {
    const pairs = pairsIn(result.comparisons);
    const parts = pairs.flatMap((own): Part[] => {
      const changed = changedScripts(own, pairs.length);
      if (!changed) return [];
      const [first] = own;
      const variant = `${first?.candidate.variant ?? ''}${levelSuffix(first?.conditions ?? {})}`;
      return [
        { kind: 'paragraph', text: sentence(changed, pairs.length === 1 ? '' : ` with ${variant}`) },
        { kind: 'table', table: tableOf(changed, own) },
      ];
    });
    return [{ title: 'Which scripts changed', titleIn: onFile, parts }];
  },
};

function sentence({ judged, unjudged, slower, faster, explained }: ChangedScripts, whose: string): string {
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
  const all = `of ${scripts(judged.length)}, judged together`;
  if (counts.length > 0) {
    const others = explained.length > 0 ? ` Other programs can explain more: ${namesOf(explained)}.` : '';
    return `${capitalise(counts.join(', '))}${whose}, beyond noise (${all}).${others}${rare}`;
  }
  const none =
    explained.length > 0
      ? `Other programs can explain which scripts changed${whose}: ${namesOf(explained)} (${all}).`
      : `No script got slower or faster${whose} beyond noise (${all}).`;
  return `${none}${rare}`;
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
