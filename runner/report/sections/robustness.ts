import { robustnessFigures } from '../charts/robustness.ts';
import { viewRobustness } from '../view/robustness-view.ts';
import { type Block, onFile, type Section } from './section.ts';

/** The answer computed in other ways than the planned one. */
export const robustnessSection: Section = {
  id: 'robustness',
  shownIn: onFile,
  isHalf: true,
  navLabel: 'Robustness',
  blocks: ({ result }) => [
    {
      title: 'Does the answer depend on how it is computed?',
      parts: [
        ...viewRobustness(result).flatMap(({ title, sentence, rows }): Block['parts'] => [
          { kind: 'paragraph', text: `${title}: ${sentence}`, only: ['markdown'] },
          {
            kind: 'list',
            items: rows.map(({ name, words }) => `${name}: ${words.replace('  ', ', ')}`),
            only: ['markdown'],
          },
        ]),
        { kind: 'pictures', id: 'robustness', open: 1, figures: robustnessFigures(result) },
        {
          kind: 'paragraph',
          text:
            viewRobustness(result).length === 0
              ? ''
              : 'Unplanned: no experiment declares these ways, so only the first one decides.',
          isQuiet: true,
        },
      ],
    },
  ],
};
