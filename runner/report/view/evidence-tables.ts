import type { Result } from '../../contract/result.ts';
import { absentTable } from './absent-table.ts';
import { evidenceTable } from './evidence-table.ts';
import { type MembersTable, membersTable } from './members-table.ts';
import { statementsTable } from './statements-table.ts';
import type { Table } from './table.ts';
import { waitsTable } from './waits-table.ts';

/** Things of which a server or a machine has several, each with a table of its own. */
const things: readonly MembersTable[] = [
  {
    title: 'Transactions, by script',
    ...{ what: 'script', placeholder: '<script>' },
    notes: ['Transactions that failed or were skipped have no latency.'],
  },
  {
    title: 'Transactions, by HammerDB’s time profile',
    ...{ what: 'procedure', placeholder: '<procedure>' },
    notes: ['Over ramp-up and measured part together.'],
  },
  {
    title: 'Volumes, against their limits',
    ...{ what: 'volume', placeholder: '<volume>', first: ['writes', 'iopsShare', 'limitReached', 'writeLatency'] },
    notes: [
      'From the counters of the block device. The limiter counts a large I/O as several, so it may be reached a little below 100 %.',
    ],
  },
  {
    title: 'Replication',
    ...{ what: 'standby', placeholder: '<standby>' },
    notes: ['From samples of pg_stat_replication. A lag of zero is shown where nothing was waited for.'],
  },
  {
    title: 'I/O of the server, by type of backend',
    ...{ what: 'backend, object and context', placeholder: '<backend>' },
    notes: ['From pg_stat_io, which PostgreSQL has since version 16.'],
  },
  {
    title: 'Devices, as Enhanced Monitoring saw them',
    ...{ what: 'device', placeholder: '<device>' },
    notes: [],
  },
];

/** All that was collected besides the load, in the order in which a reader wants it. */
export function evidenceTables(result: Result, counted: ReadonlySet<string>): Table[] {
  return [
    waitsTable(result, counted),
    ...things.map((thing) => membersTable(result, counted, thing)),
    evidenceTable(result, counted),
    statementsTable(result, counted),
    absentTable(result, counted),
  ];
}
