import { ladderFigures, throughputFigure } from '../charts/ladder.ts';
import { everywhere, onFile, type Section } from './section.ts';

/** What several levels of the load show together, in words, pictures and a table. */
export const ladderSection: Section = {
  id: 'ladder',
  shownIn: everywhere,
  navLabel: 'Levels',
  endScreen: {
    rank: 3,
    brief: ({ view }) =>
      view.ladders.map(({ title, sentences }) => ({ title, parts: [{ kind: 'list', items: sentences }] })),
  },
  blocks: ({ view, result: { ladders = [] } }) =>
    view.ladders.map(({ title, sentences, table }, index) => ({
      title,
      parts: [
        { kind: 'list', items: sentences },
        {
          kind: 'pictures',
          id: `ladder-${index + 1}`,
          open: 0,
          // The first one stands in the card.
          figures: ladders
            .slice(index, index + 1)
            .flatMap(ladderFigures)
            .slice(index === 0 ? 1 : 0),
          only: onFile,
        },
        { kind: 'table', table },
      ],
    })),
};

/** Its first picture, in the card. */
export const ladderPictureSection: Section = {
  id: 'ladder-seen',
  shownIn: onFile,
  depth: 'card',
  blocks: ({ result: { ladders = [] } }) => [
    {
      parts: [
        {
          kind: 'pictures',
          id: 'ladder-seen',
          figures: ladders.flatMap((ladder) => throughputFigure(ladder) ?? []).slice(0, 1),
        },
      ],
    },
  ],
};
