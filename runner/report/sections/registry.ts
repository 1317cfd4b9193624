import { membersTables } from '../../metrics/catalogue.ts';
import { changeFigures } from '../charts/change.ts';
import { trialFigures } from '../charts/trials.ts';
import { timelineFigures } from '../timeline/figure.ts';
import { timelineStyles } from '../timeline/styles.ts';
import { absentTable, evidenceTable } from '../view/evidence-table.ts';
import { figuresTable } from '../view/figures-table.ts';
import { worseSentences } from '../view/regressions.ts';
import { statementsTable } from '../view/statements-table.ts';
import { waitsTable } from '../view/waits-table.ts';
import { answersSection, answerSection, changesByBlock, comparisonBlocks } from './answer.ts';
import { attentionSection, checkedSection, doubtsSection, gravestSection } from './doubts.ts';
import { ladderPictureSection, ladderSection } from './ladder.ts';
import { plansSection } from './plans.ts';
import { repeatSection } from './repeat.ts';
import { robustnessSection } from './robustness.ts';
import { everywhere, inTerminal, onFile, type Section, tableBlock } from './section.ts';
import { membersSection, tableSection } from './tables.ts';
import { timeSection, whySection, whyTablesSection } from './why.ts';

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
    // Each row on one line, so that the answer with all that belongs to it fits the first screen.
    styles: `
@media screen and (min-width: 641px) {
  #figures tbody th { white-space: nowrap; }
  #figures tbody td.left { min-width: 0; }
}
@media screen and (max-width: 640px) {
  #figures tbody tr { position: relative; margin-bottom: 5px; padding: 5px 12px; }
  /* What the row means stands beside its name. */
  #figures tbody th { padding-right: 6em; }
  #figures tbody td.left { position: absolute; top: 5px; right: 12px; }
  #figures .notes { margin: 0; }
}
`,
    blocks: ({ result }) => [{ parts: [{ kind: 'table', table: figuresTable(result) }] }],
  },
  {
    id: 'worse',
    shownIn: everywhere,
    depth: 'card',
    endScreen: { rank: 2, share: 0.3 },
    blocks: ({ result }) => [{ parts: worseSentences(result).map((text) => ({ kind: 'paragraph', text })) }],
  },
  {
    id: 'worth',
    shownIn: everywhere,
    depth: ({ view }) => (view.costs.worth.length > 1 ? 'open' : 'card'),
    endScreen: { rank: 6 },
    blocks: ({ view: { costs } }) => [
      {
        ...(costs.worth.length > 1 && { title: 'For the money', titleIn: ['page'] }),
        parts: costs.worth.map((text) => ({ kind: 'paragraph', text })),
      },
    ],
  },
  ladderSection,
  ladderPictureSection,
  {
    id: 'change',
    shownIn: onFile,
    depth: 'aside',
    blocks: ({ result, counted }) => [
      { parts: [{ kind: 'pictures', id: 'change', figures: changeFigures(result, counted) }] },
    ],
  },
  gravestSection,
  checkedSection,
  {
    ...tableSection('variants', everywhere, ({ view }) => view.variants, {
      titleIn: onFile,
      // One candidate at several levels stands in the picture of the change.
      depth: ({ view }) => (new Set(view.answers.map(({ candidate }) => candidate)).size > 1 ? 'card' : 'folded'),
    }),
    endScreen: { rank: 4, share: 1 },
  },
  answersSection,
  {
    id: 'costs',
    shownIn: everywhere,
    navLabel: 'Price',
    blocks: ({ view }) => [tableBlock(view.costs.table, { titleIn: onFile })],
  },
  {
    id: 'comparison',
    shownIn: everywhere,
    depth: 'folded',
    endScreen: {
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
    endScreen: { rank: 8 },
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
  robustnessSection,
  {
    id: 'trials-seen',
    shownIn: ['page'],
    navLabel: 'Over time',
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
    blocks: ({ result }) => [
      {
        title: 'More pictures of the trials',
        parts: [{ kind: 'pictures', id: 'trials', figures: trialFigures(result) }],
      },
    ],
  },
  { id: 'pairs', shownIn: onFile, depth: 'folded', blocks: ({ view }) => view.pairs.map((table) => tableBlock(table)) },
  tableSection('settings', onFile, ({ view }) => view.settings.differing, {
    layout: 'texts',
    depth: 'open',
    navLabel: 'Settings',
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
    navLabel: 'Trials',
  }),
  doubtsSection,
  tableSection('checks', onFile, ({ view }) => view.checks, { layout: 'texts', navLabel: 'Checks' }),
  {
    id: 'notes',
    shownIn: inTerminal,
    blocks: ({ view }) => {
      const notes = [...(view.comparisons.at(-1)?.notes ?? []), ...view.costs.table.notes];
      return [{ parts: [{ kind: 'paragraph', text: notes.join(' '), isQuiet: true }] }];
    },
  },
  repeatSection,
  attentionSection,
  {
    id: 'method',
    shownIn: everywhere,
    depth: 'folded',
    endScreen: { rank: 9 },
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
