import { timeBarsMarkup, timeBarsStyles } from '../html/time-bars.ts';
import { nothing } from '../media/markup.ts';
import { wrap } from '../media/wrap.ts';
import { type TimeBars, timeBars } from '../view/time-bars.ts';
import type { Why } from '../view/why.ts';
import { type Block, everywhere, onFile, type Section } from './section.ts';

/** More bars than these would push the rest off the first screen. */
const maxBarsInCard = 5;
/** A run's end has only so much room. */
const maxLines = 3;

/** Where the time of a transaction goes, at a glance: on the page a picture for each level, in a terminal a line. */
export const timeSection: Section = {
  id: 'time',
  shownIn: ['terminal', 'page'],
  depth: ({ result }) => (fitsCard(timeBars(result.explanations ?? [])) ? 'card' : 'open'),
  endScreen: { rank: 7 },
  styles: timeBarsStyles,
  blocks: ({ view, result }) => {
    const pictures = timeBars(result.explanations ?? []);
    const briefs = view.why.map(({ brief }) => brief).filter(({ parts }) => parts.length > 0);
    return [
      {
        ...(!fitsCard(pictures) && { title: 'Where the time of a transaction goes', titleIn: ['page'] }),
        parts: [
          ...pictures.map((bars, index): Block['parts'][number] => ({
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

function fitsCard(pictures: readonly TimeBars[]): boolean {
  return pictures.length <= 1 && pictures.every(({ bars }) => bars.length <= maxBarsInCard);
}

/** Of several comparisons, each has only its largest part, and those that there is no room for are counted. */
function linesOf(briefs: readonly Why['brief'][]): Block['parts'][number] {
  const several = briefs.length > 1;
  const wordsOf = ({ of, parts }: Why['brief']): string =>
    several ? ` with ${of}: ${parts[0] ?? ''}.` : `: ${parts.join('; ')}.`;
  return {
    kind: 'own',
    only: ['terminal'],
    terminal: ({ columns }) => {
      const each = briefs.map((brief) => wrap(`Where the time of a transaction goes${wordsOf(brief)}`, columns));
      const shown = each.filter((_, index) => index === 0 || each.slice(0, index + 1).flat().length <= maxLines);
      const left = each.length - shown.length;
      return [...shown.flat(), ...(left > 0 ? [`… ${left} more in report.md`] : [])];
    },
    markdown: () => [],
    page: () => nothing,
  };
}

/** The same in words. */
export const whySection: Section = {
  id: 'why',
  shownIn: everywhere,
  isHalf: true,
  navLabel: 'Why',
  blocks: ({ view }) =>
    view.why.map(({ pair, paragraph }) => ({
      title: `Where the time goes: ${pair}`,
      parts: [{ kind: 'paragraph', text: paragraph }],
    })),
};

/** All figures of the paragraph, and of what differs with them. */
export const whyTablesSection: Section = {
  id: 'why-in-figures',
  shownIn: onFile,
  depth: 'folded',
  blocks: ({ view }) => view.why.map(whyTables),
};

export function whyTables({ pair, time, mechanisms }: Why): Block {
  return {
    title: `Where the time goes, in figures: ${pair}`,
    parts: [
      { kind: 'table', table: time, heading: time.title },
      ...mechanisms.map(({ chain }): Block['parts'][number] => ({
        kind: 'table',
        table: chain,
        layout: 'texts',
        heading: chain.title,
      })),
    ],
  };
}
