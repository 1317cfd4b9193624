import { timeBars } from '../charts/time-bars.ts';
import { timeBarsMarkup, timeBarsStyles } from '../html/time-bars.ts';
import { timeRows } from '../first-screen/time-rows.ts';
import type { Section, SectionBlock } from './section.ts';

/** Where transaction time goes: on the page a picture for each level, if the first screen does not show it. */
export const timeSection: Section = {
  id: 'time',
  styles: timeBarsStyles,
  blocks: ({ result: { explanations = [] } }) => {
    const pictures = timeRows(explanations) === null ? timeBars(explanations) : [];
    return [
      {
        title: 'Where transaction time goes',
        parts: pictures.map((bars, index): SectionBlock['parts'][number] => ({
          kind: 'own',
          terminal: () => [],
          markdown: () => [],
          page: () => timeBarsMarkup(bars, `time-of-a-transaction-${index + 1}`),
        })),
      },
    ];
  },
};
