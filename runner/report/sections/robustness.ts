import { quietStyle, variantStyle } from '../charts/colours.ts';
import type { Figure } from '../charts/figure.ts';
import type { SectionBlock, Section } from './section.ts';
import { withinThreshold } from '../../analysis/totals.ts';
import { type Comparison, unitOf, unitWords } from '../../contract/comparison.ts';
import type { Result } from '../../contract/result.ts';
import type { Variation } from '../../contract/robustness.ts';
import { levelSuffix } from '../../contract/trial.ts';
import { changesOf, metricNamed } from '../../metrics/catalogue.ts';
import { capitalise, countInWords, nounFor } from '../../contract/format.ts';
import { forest } from '../charts/forest.ts';
import { changeWords } from '../answer/answers.ts';
import { isOf } from '../answer/claims.ts';

/** The answer computed in other ways than the planned one. */
export const robustnessSection: Section = {
  id: 'robustness',
  blocks: ({ result }) => {
    const views = viewRobustness(result);
    return [
      {
        title: 'Robustness',
        summary: [...new Set(views.map(({ sentence }) => sentence))].join(' '),
        parts: [
          ...views.flatMap(({ title, sentence, rows }): SectionBlock['parts'] => [
            { kind: 'paragraph', text: `${title}: ${sentence}`, only: ['markdown'] },
            { kind: 'list', items: rows.map(({ name, words }) => `${name}: ${words.join(', ')}`), only: ['markdown'] },
          ]),
          { kind: 'pictures', id: 'robustness', open: 1, figures: robustnessFigures(views, result) },
          {
            kind: 'paragraph',
            text: views.length === 0 ? '' : 'Only the first row decides: it is what the experiment declares.',
            isQuiet: true,
          },
        ],
      },
    ];
  },
};

/** Whether one answer depends on how it is computed, in words. */
export interface RobustnessView {
  comparison: Comparison;
  /** Such as `with-dlv against without-dlv at 16 clients`. */
  title: string;
  /** Where the other estimates lie. */
  sentence: string;
  rows: {
    name: string;
    /** The estimate, and its interval if it has one. */ words: string[];
    variation: Variation;
    changes: readonly number[];
  }[];
}

/** One way with the estimates that its row shows. Those without each pair in turn are several. */
interface Way {
  variation: Variation;
  shown: readonly number[];
  /** Whether a row of its own shows one of them. */
  isOfOthers: boolean;
}

export function viewRobustness({
  robustness = [],
  comparisons,
  experiment,
}: Pick<Result, 'robustness' | 'comparisons' | 'experiment'>): RobustnessView[] {
  return robustness.flatMap((one) => {
    const comparison = comparisons.find((each) => each.primary && isOf(one, each));
    const ways = waysOf(one.variations);
    if (!comparison || ways.length < 2) return [];
    return [
      {
        comparison,
        title: `${one.candidate} vs ${one.baseline}${levelSuffix(one.conditions)}`,
        sentence: sentenceOf(ways, comparison, experiment.definition.decision.practicalThreshold),
        rows: ways.map((way) => ({
          name: capitalise(wayWords(way, comparison)),
          words: estimateWords(way, comparison),
          variation: way.variation,
          changes: way.variation.changes ? way.shown : [],
        })),
      },
    ];
  });
}

/** Nothing twice: the estimate without a single outlier is also one of those without each pair in turn. */
function waysOf(variations: readonly Variation[]): Way[] {
  const outlier = variations.find(({ way }) => way === 'without-outlier');
  return variations.flatMap((variation): Way[] => {
    const { change, changes = [change] } = variation;
    const own = outlier && variation.changes ? changes.indexOf(outlier.change) : -1;
    const shown = changes.filter((_, index) => index !== own);
    return shown.length === 0 ? [] : [{ variation, shown, isOfOthers: own >= 0 }];
  });
}

/**
 * Such as `Computed in six other ways, the change lies between +71 and +80%, always on the same side of zero.` What holds in
 * all ways is said only if the verdict says it.
 */
function sentenceOf([planned, ...others]: readonly Way[], comparison: Comparison, threshold: number): string {
  if (!planned) return '';
  const all = others.flatMap(({ shown }) => shown);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const ways = `${countInWords(others.length)} other ${nounFor(others.length, 'way')}`;
  const between = `Computed in ${ways}, the estimate ranges from ${changeWords(comparison, low)} to ${changeWords(comparison, high)}`;
  const claim = claimOf(comparison, planned.variation.change, threshold);
  if (claim === null) return `${between}.`;
  const against = others.filter(({ shown }) => !shown.every(claim.holds));
  if (against.length === 0) return `${between}, always ${claim.words}.`;
  return `${between}: it is not ${claim.words} ${against.map((way) => wayWords(way, comparison)).join(', and ')}.`;
}

/** What a verdict says about the change; null if it settles nothing. */
function claimOf(
  { verdict, metric }: Comparison,
  planned: number,
  threshold: number,
): { words: string; holds: (change: number) => boolean } | null {
  switch (verdict) {
    case 'better':
    case 'worse':
      return {
        words: 'on the same side of zero',
        holds: (change) => change !== 0 && change > 0 === planned > 0,
      };
    case 'equivalent':
      return {
        words: `within ±${changesOf(metric).size(threshold)}`,
        holds: (change) => withinThreshold({ low: change, high: change }, threshold, metricNamed(metric)?.compared),
      };
    default:
      return null;
  }
}

function wayWords({ variation, isOfOthers }: Way, comparison: Comparison): string {
  const { way, leftOut = '', seconds = 0, pairs } = variation;
  const unit = unitOf(comparison);
  const all = comparison.pairs.length;
  const some = pairs < all ? ` (${pairs} of ${all} ${unitWords(unit, all)})` : '';
  switch (way) {
    case 'planned':
      return 'as planned';
    case 'without-start':
      return `without the first ${seconds} s of each trial${some}`;
    case 'during-checkpoints':
      return `only seconds entirely within a checkpoint${some}`;
    case 'between-checkpoints':
      return `only seconds without a checkpoint${some}`;
    case 'without-outlier': {
      const far = all - pairs;
      const which = unit === 'instance-pair' ? leftOut : `${unitWords(unit, far)} ${leftOut}`;
      return `without the ${nounFor(far, 'outlier')}, ${which}`;
    }
    case 'totals':
      return 'ratio of totals';
    case 'leave-one-out':
      if (isOfOthers) return `without each other ${unitWords(unit, 1)} in turn`;
      return `without each ${unitWords(unit, 1)} in turn${leftOut === '' ? '' : ` (moved most without ${leftOut})`}`;
  }
}

function estimateWords({ variation: { change, interval, changes }, shown }: Way, comparison: Comparison): string[] {
  if (changes) {
    return [`${changeWords(comparison, Math.min(...shown))} to ${changeWords(comparison, Math.max(...shown))}`];
  }
  const { range } = changesOf(comparison.metric, comparison.change);
  return [changeWords(comparison, change), ...(interval ? [range(interval.low, interval.high)] : [])];
}

/** One strip for each answer: the planned estimate in the candidate's colour, the others in grey. */
function robustnessFigures(views: readonly RobustnessView[], { experiment }: Result): Figure<Variation[]>[] {
  const { variants, decision } = experiment.definition;
  return views.map(({ comparison, title, sentence, rows }) => {
    const look = variantStyle(Object.keys(variants).indexOf(comparison.candidate.variant));
    return forest({
      title,
      caption: sentence,
      alternative: rows.map(({ name, words }) => `${name}: ${words.join('  ')}.`).join(' '),
      data: rows.map(({ variation }) => variation),
      rows: rows.map(({ name, words, variation, changes }, index) => ({
        name,
        words: words.join('  '),
        look: index === 0 ? look : quietStyle,
        change: variation.change,
        interval: variation.interval,
        changes,
      })),
      of: comparison,
      threshold: decision.practicalThreshold,
    });
  });
}
