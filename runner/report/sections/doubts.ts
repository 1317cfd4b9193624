import { maxInCard } from '../view/doubts.ts';
import { type Block, inTerminal, onFile, type Reported, type Section } from './section.ts';

const attention = ({ view }: Reported, items = view.attention): Block[] => [
  { title: 'Before you rely on it', titleIn: ['page'], isWarning: true, parts: [{ kind: 'list', items }] },
];

/** The gravest doubts, in the card. */
export const gravestSection: Section = {
  id: 'gravest',
  shownIn: onFile,
  depth: 'aside',
  navLabel: 'Doubts',
  blocks: (of) => attention(of, of.view.attention.slice(0, maxInCard)),
};

/** How many more there are, and how many checks passed. */
export const checkedSection: Section = {
  id: 'checked',
  shownIn: ['page'],
  depth: 'aside',
  blocks: ({ view: { attention: all, checked } }) => {
    const more = all.length - maxInCard;
    const words = more > 0 ? `${more} more ${more === 1 ? 'doubt stands' : 'doubts stand'} below. ` : '';
    return [{ parts: [{ kind: 'paragraph', text: `${words}${checked}`, isQuiet: true }] }];
  },
};

/** All of them, where the card does not have them all. */
export const doubtsSection: Section = {
  id: 'doubts',
  shownIn: onFile,
  depth: 'folded',
  blocks: ({ view: { attention: all } }) => [
    {
      title: 'All doubts',
      summary: `${all.length}`,
      parts: [{ kind: 'list', items: all.length > maxInCard ? all : [] }],
    },
  ],
};

/** In a terminal, a reader sees what comes last. */
export const attentionSection: Section = {
  id: 'attention',
  shownIn: inTerminal,
  endScreen: { rank: 2, share: 0.5 },
  blocks: attention,
};
