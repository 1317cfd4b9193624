import type { SectionBlock, Section } from './section.ts';
import { checksInWords } from '../checked-subjects.ts';
import { doubtWords } from '../doubts.ts';
import type { Reported } from '../reported.ts';

/** How many of the gravest stand in the card. */
const maxInCard = 3;

const attention = ({ doubts }: Reported, max = Infinity): SectionBlock[] => [
  {
    title: 'Before you rely on it',
    titleIn: ['page'],
    isWarning: true,
    parts: [{ kind: 'list', items: doubts.slice(0, max).map(doubtWords) }],
  },
];

/** The gravest doubts, in the card. */
export const gravestSection: Section = {
  id: 'gravest',
  blocks: (of) => attention(of, maxInCard),
};

/** How many more there are, and how many checks passed. */
export const checkedSection: Section = {
  id: 'checked',
  blocks: ({ doubts, result, counted }) => {
    const more = doubts.length - maxInCard;
    const words = more > 0 ? `${more} more ${more === 1 ? 'doubt stands' : 'doubts stand'} below. ` : '';
    return [{ parts: [{ kind: 'paragraph', text: `${words}${checksInWords(result, counted)}`, isQuiet: true }] }];
  },
};

/** All of them, where the card does not have them all. */
export const doubtsSection: Section = {
  id: 'doubts',
  blocks: ({ doubts }) => [
    {
      title: 'All doubts',
      summary: `${doubts.length}`,
      parts: [{ kind: 'list', items: doubts.length > maxInCard ? doubts.map(doubtWords) : [] }],
    },
  ],
};

/** In a terminal, a reader sees what comes last. */
export const attentionSection: Section = {
  id: 'attention',
  blocks: (of) => attention(of),
};
