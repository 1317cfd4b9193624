import type { Section } from './section.ts';
import { doubtWords } from '../doubts.ts';
import { maxDoubts } from '../first-screen/model.ts';

/** All of them, where the first screen has no room for all. */
export const doubtsSection: Section = {
  id: 'doubts',
  blocks: ({ doubts }) => [
    {
      title: 'All caveats',
      summary: `${doubts.length}`,
      parts: [{ kind: 'list', items: doubts.length > maxDoubts ? doubts.map(doubtWords) : [] }],
    },
  ],
};

/** In a terminal, a reader sees what comes last. */
export const attentionSection: Section = {
  id: 'attention',
  blocks: ({ doubts }) => [{ isWarning: true, parts: [{ kind: 'list', items: doubts.map(doubtWords) }] }],
};
