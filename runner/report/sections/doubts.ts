import type { Section } from './section.ts';
import { doubtWords, maxDoubts, shownDoubts } from '../first-screen/model.ts';

/** All of them, where the first screen has no room for all. */
export const doubtsSection: Section = {
  id: 'doubts',
  blocks: (of) => {
    const doubts = shownDoubts(of);
    return [
      {
        title: 'All caveats',
        summary: `${doubts.length}`,
        parts: [{ kind: 'list', items: doubts.length > maxDoubts ? doubts.map(doubtWords) : [] }],
      },
    ];
  },
};
