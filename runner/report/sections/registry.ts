import { changeChart } from '../charts/change.ts';
import { ladderFigures } from '../charts/ladder.ts';
import { charts } from '../charts/registry.ts';
import { absentTable } from '../view/absent-table.ts';
import { evidenceTable } from '../view/evidence-table.ts';
import { type MembersTable, membersTable } from '../view/members-table.ts';
import { statementsTable } from '../view/statements-table.ts';
import type { Table } from '../view/table.ts';
import { waitsTable } from '../view/waits-table.ts';
import { answerSection } from './answer.ts';
import { changesByBlock, comparisonBlocks } from './comparisons.ts';
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
import { whyBlock } from './why.ts';

const attention = ({ view }: Reported): Block[] => [
  {
    title: 'Before you believe it',
    titleIn: onFile,
    isWarning: true,
    parts: [{ kind: 'list', items: view.attention }],
  },
];

/**
 * All that a finished run says, in the order in which a reader wants it: in the terminal, in report.md and in report.html. A
 * section with nothing to show is left out. To add one, write what it shows, and put it where it belongs.
 */
export const sections: readonly Section[] = [
  answerSection,
  {
    id: 'worth',
    shownIn: everywhere,
    blocks: ({ view }) => [{ parts: view.costs.worth.map((text) => ({ kind: 'paragraph', text })) }],
  },
  {
    id: 'ladder',
    shownIn: everywhere,
    blocks: ({ view, result: { ladders = [] } }) =>
      view.ladders.map(({ title, sentences, table }, index) => ({
        title,
        parts: [
          { kind: 'list', items: sentences },
          {
            kind: 'pictures',
            id: `ladder-${index + 1}`,
            figures: ladders.slice(index, index + 1).flatMap(ladderFigures),
            only: ['page'],
          },
          { kind: 'table', table },
        ],
      })),
  },
  {
    id: 'change',
    shownIn: ['page'],
    blocks: () => [{ parts: [{ kind: 'pictures', id: 'change', charts: [changeChart] }] }],
  },
  { id: 'attention', shownIn: onFile, blocks: attention },
  tableSection('variants', everywhere, ({ view }) => view.variants, { titleIn: onFile }),
  {
    id: 'costs',
    shownIn: everywhere,
    blocks: ({ view }) => [tableBlock(view.costs.table, { titleIn: onFile })],
  },
  {
    id: 'comparison',
    shownIn: everywhere,
    blocks: ({ view }) => comparisonBlocks(view.comparisons),
  },
  {
    id: 'changes-by-block',
    shownIn: inTerminal,
    blocks: ({ result, view }) => changesByBlock(result.comparisons, view.comparisons),
  },
  { id: 'why', shownIn: everywhere, blocks: ({ view }) => view.why.map(whyBlock) },
  {
    id: 'trials-seen',
    shownIn: ['page'],
    blocks: () => [{ title: 'The trials, seen', parts: [{ kind: 'pictures', id: 'trials', charts }] }],
  },
  { id: 'pairs', shownIn: onFile, blocks: ({ view }) => view.pairs.map((table) => tableBlock(table)) },
  tableSection('waits', everywhere, ({ result, counted }) => waitsTable(result, counted)),
  membersSection('scripts', everywhere, {
    title: 'Transactions, by script',
    what: 'script',
    placeholder: '<script>',
    notes: ['Transactions that failed or were skipped have no latency.'],
  }),
  membersSection('procedures', onFile, {
    title: 'Transactions, by HammerDB’s time profile',
    what: 'procedure',
    placeholder: '<procedure>',
    notes: ['Over ramp-up and measured part together.'],
  }),
  membersSection('volumes', everywhere, {
    title: 'Volumes, against their limits',
    what: 'volume',
    placeholder: '<volume>',
    first: ['writes', 'iopsShare', 'limitReached', 'writeLatency'],
    notes: [
      'From the counters of the block device. The limiter counts a large I/O as several, so it may be reached a little below 100 %.',
    ],
  }),
  membersSection('replication', onFile, {
    title: 'Replication',
    what: 'standby',
    placeholder: '<standby>',
    notes: ['From samples of pg_stat_replication. A lag of zero is shown where nothing was waited for.'],
  }),
  membersSection('backends', onFile, {
    title: 'I/O of the server, by type of backend',
    what: 'backend, object and context',
    placeholder: '<backend>',
    notes: ['From pg_stat_io, which PostgreSQL has since version 16.'],
  }),
  membersSection('devices', onFile, {
    title: 'Devices, as Enhanced Monitoring saw them',
    what: 'device',
    placeholder: '<device>',
    notes: [],
  }),
  tableSection('evidence', onFile, ({ result, counted }) => evidenceTable(result, counted)),
  tableSection('statements', onFile, ({ result, counted }) => statementsTable(result, counted)),
  tableSection('absent', onFile, ({ result, counted }) => absentTable(result, counted), { layout: 'texts' }),
  tableSection('settings', onFile, ({ view }) => view.settings, { layout: 'texts' }),
  tableSection('steps', onFile, ({ view }) => view.steps, { layout: 'texts' }),
  tableSection('trials', onFile, ({ view }) => view.trials),
  tableSection('checks', onFile, ({ view }) => view.checks, { layout: 'texts' }),
  {
    id: 'notes',
    shownIn: inTerminal,
    blocks: ({ view }) => {
      const notes = [...(view.comparisons.at(-1)?.notes ?? []), ...view.costs.table.notes];
      return [{ parts: [{ kind: 'paragraph', text: notes.join(' '), isQuiet: true }] }];
    },
  },
  // What stands last in a terminal is what is seen.
  { id: 'attention', shownIn: inTerminal, blocks: attention },
  {
    id: 'method',
    shownIn: everywhere,
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

function tableSection(
  id: string,
  shownIn: readonly Medium[],
  of: (reported: Reported) => Table,
  how: { layout?: 'figures' | 'texts'; titleIn?: readonly Medium[] } = {},
): Section {
  return { id, shownIn, blocks: (reported) => [tableBlock(of(reported), how)] };
}

/** Things of which a server or a machine has several, each with a row of its own. */
function membersSection(id: string, shownIn: readonly Medium[], members: MembersTable): Section {
  return tableSection(id, shownIn, ({ result, counted }) => membersTable(result, counted, members));
}
