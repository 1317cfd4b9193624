import { changeFigures } from '../charts/change.ts';
import { timelineFigures } from '../timeline/figure.ts';
import { timelineStyles } from '../timeline/styles.ts';
import type { Section } from './section.ts';
import { trialFigures } from '../charts/trials.ts';

/** The answer in a picture. */
export const changeSection: Section = {
  id: 'change',
  blocks: ({ result, counted }) => [
    {
      title: 'Chart of the change',
      summary: 'each block, and each trial beside the others of its block',
      parts: [{ kind: 'pictures', id: 'change', figures: changeFigures(result, counted) }],
    },
  ],
};

export const overTimeSection: Section = {
  id: 'trials-seen',
  styles: timelineStyles,
  blocks: () => [
    {
      title: 'Trials over time',
      summary: 'throughput, waits and volumes, second by second',
      parts: [{ kind: 'from-series', figures: (...of) => timelineFigures(...of, 'trials-seen-title') }],
    },
  ],
};

export const trialPicturesSection: Section = {
  id: 'more-pictures',
  blocks: ({ result }) => [
    {
      title: 'More charts',
      parts: [{ kind: 'pictures', id: 'trials', figures: trialFigures(result) }],
    },
  ],
};
