import { blocksChart } from '../charts/blocks.ts';
import { latencyChart } from '../charts/latency.ts';
import type { Chart } from '../charts/subject.ts';
import { timelineFigures } from '../timeline/figure.ts';
import { timelineStyles } from '../timeline/styles.ts';
import type { MembersTable } from '../../contract/metric.ts';
import { membersTables } from '../../metrics/catalogue.ts';
import { changeFigures } from '../charts/change.ts';
import { robustnessFigures } from '../charts/robustness.ts';
import { mostInCard } from '../view/doubts.ts';
import { viewRobustness } from '../view/robustness-view.ts';
import { ladderFigures, throughputFigure } from '../charts/ladder.ts';
import { absentTable, evidenceTable } from '../view/evidence-table.ts';
import { membersOfPair, membersTable } from '../view/members-table.ts';
import { figuresTable, worseSentences } from '../view/figures-table.ts';
import { statementsTable } from '../view/statements-table.ts';
import type { Table } from '../view/table.ts';
import { waitsTable } from '../view/waits-table.ts';
import { answersSection, answerSection, changesByBlock, comparisonBlocks } from './answer.ts';
import { repeatSection } from './repeat.ts';
import {
  type Block,
  everywhere,
  inTerminal,
  type Medium,
  onFile,
  type Reported,
  type Section,
  tableBlock,
} from './section.ts';
import { plansSection } from './plans.ts';
import { timeSection, whySection, whyTablesSection } from './why.ts';

/** The pictures of the trials besides those over time. The picture of the answer itself (change.ts) is above them. */
export const charts: readonly Chart[] = [blocksChart, latencyChart];

const attention = ({ view }: Reported, items = view.attention): Block[] => [
  { title: 'Before you rely on it', titleIn: ['page'], isWarning: true, parts: [{ kind: 'list', items }] },
];

/**
 * Everything that a finished run reports, in the order in which a reader wants it: in the terminal, in report.md and in
 * report.html. A section with nothing to show is left out. To add one, write what it shows, and put it where it
 * belongs. Tables of things that a tool or a source has several of are defined with their metrics.
 */
export const sections: readonly Section[] = [
  answerSection,
  {
    id: 'figures',
    shownIn: onFile,
    depth: 'card',
    blocks: ({ result }) => [{ parts: [{ kind: 'table', table: figuresTable(result) }] }],
  },
  {
    id: 'worse',
    shownIn: everywhere,
    depth: 'card',
    atEnd: { rank: 2, share: 0.3 },
    blocks: ({ result }) => [
      { parts: worseSentences(result.comparisons).map((text) => ({ kind: 'paragraph', text })) },
    ],
  },
  {
    id: 'worth',
    shownIn: everywhere,
    depth: ({ view }) => (view.costs.worth.length > 1 ? 'open' : 'card'),
    atEnd: { rank: 6 },
    blocks: ({ view: { costs } }) => [
      {
        ...(costs.worth.length > 1 && { title: 'For the money', titleIn: ['page'] }),
        parts: costs.worth.map((text) => ({ kind: 'paragraph', text })),
      },
    ],
  },
  {
    id: 'ladder',
    shownIn: everywhere,
    inContents: 'Levels',
    atEnd: {
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
  },
  {
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
  },
  {
    id: 'change',
    shownIn: onFile,
    depth: 'aside',
    blocks: ({ result, counted }) => [
      { parts: [{ kind: 'pictures', id: 'change', figures: changeFigures(result, counted) }] },
    ],
  },
  {
    id: 'gravest',
    shownIn: onFile,
    depth: 'aside',
    inContents: 'Doubts',
    blocks: (of) => attention(of, of.view.attention.slice(0, mostInCard)),
  },
  {
    id: 'checked',
    shownIn: ['page'],
    depth: 'aside',
    blocks: ({ view: { attention: all, checked } }) => {
      const more = all.length - mostInCard;
      const words = more > 0 ? `${more} more ${more === 1 ? 'doubt stands' : 'doubts stand'} below. ` : '';
      return [{ parts: [{ kind: 'paragraph', text: `${words}${checked}`, isQuiet: true }] }];
    },
  },
  {
    ...tableSection('variants', everywhere, ({ view }) => view.variants, {
      titleIn: onFile,
      // One candidate at several levels stands in the picture of the change.
      depth: ({ view }) => (new Set(view.answers.map(({ candidate }) => candidate)).size > 1 ? 'card' : 'folded'),
    }),
    atEnd: { rank: 4, share: 1 },
  },
  answersSection,
  {
    id: 'costs',
    shownIn: everywhere,
    inContents: 'Price',
    blocks: ({ view }) => [tableBlock(view.costs.table, { titleIn: onFile })],
  },
  {
    id: 'comparison',
    shownIn: everywhere,
    depth: 'folded',
    atEnd: {
      rank: 5,
      share: 1,
      // Of several, the table of the variants has the changes that decide.
      brief: ({ view }) => (view.comparisons.length > 1 ? [] : comparisonBlocks(view.comparisons)),
    },
    blocks: ({ view }) => comparisonBlocks(view.comparisons),
  },
  {
    id: 'changes-by-block',
    shownIn: inTerminal,
    atEnd: { rank: 8 },
    blocks: ({ result, view }) => changesByBlock(result.comparisons, view.comparisons),
  },
  timeSection,
  whySection,
  {
    id: 'repeat',
    shownIn: onFile,
    depth: 'aside',
    blocks: ({ view }) => [
      { parts: [{ kind: 'paragraph', lead: 'Repeat: ', text: view.repeat.command, isQuiet: true }] },
    ],
  },
  {
    id: 'robustness',
    shownIn: onFile,
    isHalf: true,
    inContents: 'Robustness',
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
  },
  {
    id: 'trials-seen',
    shownIn: ['page'],
    inContents: 'Over time',
    styles: timelineStyles,
    blocks: () => [
      {
        title: 'The trials over time',
        parts: [{ kind: 'from-series', figures: (...of) => timelineFigures(...of, 'trials-seen') }],
      },
    ],
  },
  whyTablesSection,
  {
    id: 'more-pictures',
    shownIn: onFile,
    depth: 'folded',
    blocks: () => [{ title: 'More pictures of the trials', parts: [{ kind: 'pictures', id: 'trials', charts }] }],
  },
  { id: 'pairs', shownIn: onFile, depth: 'folded', blocks: ({ view }) => view.pairs.map((table) => tableBlock(table)) },
  tableSection('settings', onFile, ({ view }) => view.settings.differing, {
    layout: 'texts',
    depth: 'open',
    inContents: 'Settings',
  }),
  plansSection,
  tableSection('waits', everywhere, ({ result, counted }) => waitsTable(result, counted)),
  ...membersTables.map(membersSection),
  tableSection('evidence', onFile, ({ result, counted }) => evidenceTable(result, counted)),
  tableSection('statements', onFile, ({ result, counted }) => statementsTable(result, counted)),
  tableSection('absent', onFile, ({ result, counted }) => absentTable(result, counted), { layout: 'texts' }),
  tableSection('settings-shared', onFile, ({ view }) => view.settings.shared, { layout: 'texts' }),
  tableSection('steps', onFile, ({ view }) => view.steps, { layout: 'texts' }),
  tableSection('trials', onFile, ({ view }) => view.trials, {
    depth: ({ isUnderWay }) => (isUnderWay ? 'open' : 'folded'),
    inContents: 'Trials',
  }),
  {
    id: 'doubts',
    shownIn: onFile,
    depth: 'folded',
    blocks: ({ view: { attention: all } }) => [
      {
        title: 'All doubts',
        holds: `${all.length}`,
        parts: [{ kind: 'list', items: all.length > mostInCard ? all : [] }],
      },
    ],
  },
  tableSection('checks', onFile, ({ view }) => view.checks, { layout: 'texts', inContents: 'Checks' }),
  {
    id: 'notes',
    shownIn: inTerminal,
    blocks: ({ view }) => {
      const notes = [...(view.comparisons.at(-1)?.notes ?? []), ...view.costs.table.notes];
      return [{ parts: [{ kind: 'paragraph', text: notes.join(' '), isQuiet: true }] }];
    },
  },
  repeatSection,
  // In a terminal, a reader sees what comes last.
  { id: 'attention', shownIn: inTerminal, atEnd: { rank: 2, share: 0.5 }, blocks: attention },
  {
    id: 'method',
    shownIn: everywhere,
    depth: 'folded',
    atEnd: { rank: 9 },
    blocks: ({ view }) => [
      {
        title: 'How it was measured',
        titleIn: onFile,
        parts: [
          { kind: 'terms', terms: view.protocol, only: onFile },
          {
            kind: 'terms',
            terms: view.protocol.filter(([term]) => ['Place', 'Workload', 'Order'].includes(term)),
            only: inTerminal,
          },
        ],
      },
    ],
  },
];

/** A table on its own. On the page, it is folded unless it says otherwise. */
function tableSection(
  id: string,
  shownIn: readonly Medium[],
  of: (reported: Reported) => Table,
  how: Parameters<typeof tableBlock>[1] & Pick<Section, 'depth' | 'inContents'> = {},
): Section {
  const { depth = 'folded', inContents, ...drawn } = how;
  return {
    id,
    shownIn,
    depth,
    ...(inContents !== undefined && { inContents }),
    blocks: (reported) => [tableBlock(of(reported), drawn)],
  };
}

/** Things that a server or a machine has several of, each with a row of its own. */
function membersSection(members: MembersTable): Section {
  return {
    id: members.id,
    shownIn: members.inTerminal ? everywhere : onFile,
    depth: 'folded',
    blocks: ({ result, counted }) => {
      const table = membersTable(result, counted, members);
      const onFiles = membersOfPair(result, counted, members) ?? table;
      return [
        {
          title: members.title,
          parts: [
            { kind: 'table', table, only: inTerminal },
            { kind: 'table', table: onFiles, only: onFile },
          ],
        },
      ];
    },
  };
}
