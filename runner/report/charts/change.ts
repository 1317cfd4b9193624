import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import { levelKey, levelSuffix, levelWords } from '../../contract/trial.ts';
import { controlsOf } from '../../experiment/groups.ts';
import { variantStyle } from './colours.ts';
import type { Figure } from './figure.ts';
import { forest, type ForestRow } from './forest.ts';
import { withNoun } from '../../contract/format.ts';
import { changesOf } from '../../metrics/catalogue.ts';
import { changeWords, pairsInWords } from '../answer/answers.ts';
import { ranked } from '../answer/headline.ts';
import { metricWords } from '../metric-words.ts';

/** One candidate's row. */
export interface CandidateChange {
  candidate: string;
  change: number;
  interval: Comparison['interval'];
  /** The pairs that the estimate used, and no others. */
  pairs: Comparison['pairs'];
}

/**
 * Draws the evidence in one picture: the estimate of every candidate at every level with its interval, the change in each
 * block, and which changes are too small to matter. Of several candidates, a control stands first, then the best.
 *
 * @param counted ids of the trials that count
 * @returns none if nothing that decides was compared
 */
export function changeFigures(
  { comparisons, experiment: { definition }, trials }: Pick<Result, 'comparisons' | 'experiment' | 'trials'>,
  counted: ReadonlySet<string>,
): Figure<CandidateChange[]>[] {
  const primary = comparisons.filter((comparison) => comparison.primary && comparison.change !== null);
  const [first] = primary;
  if (!first) return [];
  const controls = controlsOf(definition);
  const levels = [...new Set(primary.map(({ conditions }) => levelKey(conditions)))];
  const names = Object.keys(definition.variants);
  const isControl = ({ candidate }: Comparison): boolean => controls.includes(candidate.variant);
  const ordered = levels.flatMap((level) => {
    const own = ranked(primary.filter(({ conditions }) => levelKey(conditions) === level));
    return [...own.filter(isControl), ...own.filter((one) => !isControl(one))];
  });
  const baselines = new Set(primary.map(({ baseline }) => baseline.variant));
  const isOneCandidate = new Set(primary.map(({ candidate }) => candidate.variant)).size === 1;
  const rows = ordered.map((comparison): ForestRow => {
    const { change, interval, pairs, conditions, verdict } = comparison;
    const candidate = comparison.candidate.variant;
    const level = levelWords(conditions);
    return {
      change: change ?? 0,
      interval,
      look: variantStyle(names.indexOf(candidate)),
      name: level === '' ? candidate : isOneCandidate ? level : `${candidate} at ${level}`,
      // A single one has its verdict in the headline.
      words: [changeWords(comparison, change), primary.length > 1 ? (verdict ?? 'no verdict') : ''].join('  ').trim(),
      changes: pairs.flatMap((pair) => pair.change ?? []),
    };
  });
  const threshold = definition.decision.practicalThreshold;
  const { label } = metricWords(first);
  const sizes = changesOf(first.metric);
  const left = trials.filter(({ state, id }) => state === 'finished' && !counted.has(id)).length;
  const notDrawn = left === 0 ? '' : ` Not drawn: ${withNoun(left, 'excluded trial')}.`;
  return [
    forest({
      title: `Change in ${label} vs ${baselines.size === 1 ? first.baseline.variant : 'the baseline of each group'}`,
      caption: `Large mark: the estimate.${rows.some(({ interval }) => interval !== null) ? ' Bar: its interval.' : ''} Small marks: single blocks. Shaded: within the practical threshold of ${sizes.size(threshold)}.${notDrawn}`,
      alternative: ordered
        .map((comparison) => {
          const { candidate, change, interval, conditions } = comparison;
          return `${candidate.variant}${levelSuffix(conditions)}: ${changeWords(comparison, change)}${interval ? `, interval ${changesOf(comparison.metric, change).range(interval.low, interval.high)}` : ', no interval'}; by block ${pairsInWords(comparison) || 'unknown'}.`;
        })
        .join(' '),
      data: ordered.map(({ candidate, change, interval, pairs }) => ({
        candidate: candidate.variant,
        change: change ?? 0,
        interval,
        pairs,
      })),
      rows,
      of: first,
      threshold,
    }),
  ];
}
