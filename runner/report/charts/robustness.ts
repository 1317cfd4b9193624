import type { Result } from '../../contract/result.ts';
import type { Variation } from '../../contract/robustness.ts';
import { viewRobustness } from '../view/robustness-view.ts';
import { quietLook, variantLook } from './colours.ts';
import type { Figure } from './figure.ts';
import { forest } from './forest.ts';

/** One strip for each answer: the planned estimate in the candidate's colour, the others in grey. */
export function robustnessFigures(
  result: Pick<Result, 'comparisons' | 'experiment' | 'robustness'>,
): Figure<Variation[]>[] {
  const { variants, decision } = result.experiment.definition;
  return viewRobustness(result).map(({ comparison, title, sentence, rows }) => {
    const look = variantLook(Object.keys(variants).indexOf(comparison.candidate.variant));
    return forest({
      title,
      caption: sentence,
      alternative: rows.map(({ name, words }) => `${name}: ${words}.`).join(' '),
      data: rows.map(({ variation }) => variation),
      rows: rows.map(({ name, words, variation, changes }, index) => ({
        name,
        words,
        look: index === 0 ? look : quietLook,
        change: variation.change,
        interval: variation.interval,
        changes,
      })),
      of: comparison,
      threshold: decision.practicalThreshold,
    });
  });
}
