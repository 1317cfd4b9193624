import type { Comparison } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import type { Robustness, Variation } from '../../contract/robustness.ts';
import { levelKey, levelSuffix } from '../../contract/trial.ts';
import { capitalise, countInWords } from '../words/quantities.ts';
import { changeSizes } from '../words/metric-words.ts';
import { changeWords } from './answer.ts';

/** Whether one answer depends on how it is computed, in words. */
export interface RobustnessView {
  comparison: Comparison;
  /** Such as `with-dlv against without-dlv at 16 clients`. */
  title: string;
  /** Where the other estimates lie. */
  sentence: string;
  rows: { name: string; words: string; variation: Variation }[];
}

export function viewRobustness({
  robustness = [],
  comparisons,
}: Pick<Result, 'robustness' | 'comparisons'>): RobustnessView[] {
  return robustness.flatMap((one) => {
    const comparison = comparisons.find((each) => each.primary && isOf(one, each));
    if (!comparison || one.variations.length < 2) return [];
    return [
      {
        comparison,
        title: `${one.candidate} against ${one.baseline}${levelSuffix(one.conditions)}`,
        sentence: sentenceOf(one, comparison),
        rows: one.variations.map((variation) => ({
          name: capitalise(wordsOf(variation)),
          words: estimateWords(variation, comparison),
          variation,
        })),
      },
    ];
  });
}

function isOf(one: Robustness, { baseline, candidate, conditions }: Comparison): boolean {
  return (
    one.baseline === baseline.variant &&
    one.candidate === candidate.variant &&
    levelKey(one.conditions) === levelKey(conditions)
  );
}

/** Such as `Computed in six other ways, the change lies between +71 and +80 %, on the same side of zero.` */
function sentenceOf({ variations }: Robustness, comparison: Comparison): string {
  const [planned, ...others] = variations;
  if (!planned) return '';
  const all = others.flatMap(({ change, changes }) => changes ?? [change]);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const isSame = low > 0 === planned.change > 0 && high > 0 === planned.change > 0 && low !== 0 && high !== 0;
  const ways = `${countInWords(others.length)} other ${others.length === 1 ? 'way' : 'ways'}`;
  const between = `Computed in ${ways}, the change lies between ${changeWords(comparison, low)} and ${changeWords(comparison, high)}`;
  if (isSame) return `${between}, always on the same side of zero.`;
  const other = others.filter(({ change, changes = [change] }) =>
    changes.some((each) => each === 0 || each > 0 !== planned.change > 0),
  );
  return `${between}: it is not on the same side of zero ${other.map(wordsOf).join(', and ')}.`;
}

function wordsOf({ way, leftOut = '', seconds = 0 }: Variation): string {
  switch (way) {
    case 'planned':
      return 'as planned';
    case 'without-start':
      return `without the first ${seconds} s of each trial`;
    case 'during-checkpoints':
      return 'in seconds with a checkpoint under way';
    case 'between-checkpoints':
      return 'in seconds without a checkpoint';
    case 'without-outlier':
      return `without the outlier, ${leftOut}`;
    case 'totals':
      return 'by the ratio of the totals';
    case 'leave-one-out':
      return `without each in turn (moved most by ${leftOut})`;
  }
}

function estimateWords({ change, interval, changes }: Variation, comparison: Comparison): string {
  if (changes) {
    return `${changeWords(comparison, Math.min(...changes))} to ${changeWords(comparison, Math.max(...changes))}`;
  }
  const range = interval ? `  ${changeSizes(comparison.metric).range(interval.low, interval.high)}` : '';
  return `${changeWords(comparison, change)}${range}`;
}
