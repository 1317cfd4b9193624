import { timeBars } from '../charts/time-bars.ts';
import { timeBarsMarkup, timeBarsStyles } from '../html/time-bars.ts';
import { timeRows } from '../first-screen/time-rows.ts';
import { nothing } from '../media/markup.ts';
import { wrap } from '../media/wrap.ts';
import type { Section, SectionBlock } from './section.ts';
import { whyInBrief } from './why-words.ts';

/** A run's end has only so much room. */
const maxLines = 3;

/**
 * Where transaction time goes, at a glance: on the page a picture for each level, if the first screen does not show it; in a
 * terminal a line.
 */
export const timeSection: Section = {
  id: 'time',
  styles: timeBarsStyles,
  blocks: ({ result: { explanations = [] } }) => {
    const pictures = timeRows(explanations) === null ? timeBars(explanations) : [];
    const briefs = explanations.map(whyInBrief).filter(({ parts }) => parts.length > 0);
    return [
      {
        title: 'Where transaction time goes',
        titleIn: ['page'],
        parts: [
          ...pictures.map((bars, index): SectionBlock['parts'][number] => ({
            kind: 'own',
            only: ['page'],
            terminal: () => [],
            markdown: () => [],
            page: () => timeBarsMarkup(bars, `time-of-a-transaction-${index + 1}`),
          })),
          ...(briefs.length === 0 ? [] : [linesOf(briefs)]),
        ],
      },
    ];
  },
};

/** Of several comparisons, each has only its largest part, and those that there is no room for are counted. */
function linesOf(briefs: readonly ReturnType<typeof whyInBrief>[]): SectionBlock['parts'][number] {
  const several = briefs.length > 1;
  const briefWords = ({ of, parts }: ReturnType<typeof whyInBrief>): string =>
    several ? ` with ${of}: ${parts[0] ?? ''}.` : `: ${parts.join('; ')}.`;
  return {
    kind: 'own',
    only: ['terminal'],
    terminal: ({ columns }) => {
      const each = briefs.map((brief) => wrap(`Where transaction time goes${briefWords(brief)}`, columns));
      const shown = each.filter((_, index) => index === 0 || each.slice(0, index + 1).flat().length <= maxLines);
      const left = each.length - shown.length;
      return [...shown.flat(), ...(left > 0 ? [`… ${left} more in report.md`] : [])];
    },
    markdown: () => [],
    page: () => nothing,
  };
}
