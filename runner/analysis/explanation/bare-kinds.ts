import { manual, type Mechanism } from './mechanism.ts';

const events = `${manual}/monitoring-stats.html#WAIT-EVENT`;
const resources = `${manual}/runtime-config-resource.html#GUC`;
const replication = `${manual}/warm-standby.html#SYNCHRONOUS-REPLICATION`;
const sleeping = `${manual}/functions-datetime.html#FUNCTIONS-DATETIME-DELAY`;
const walPages = `${manual}/wal-configuration.html`;
const connections = [`${manual}/pgbench.html`, `${manual}/connect-estab.html`];

/** Where no more is seen than the time itself. */
export const bareKinds: readonly Mechanism[] = (
  [
    ['walFlush', 'wal-flush', 'Transactions wait for WAL writes and flushes', walPages],
    ['walInsert', 'wal-insert', 'Transactions wait for each other to insert WAL', `${events}-LWLOCK-TABLE`],
    ['walFiles', 'wal-files', 'Transactions wait for WAL files', walPages],
    ['syncRep', 'synchronous-replication', 'Commits wait for a synchronous standby', replication],
    [
      'locks',
      'lock-bound',
      'Transactions wait for rows or objects that others have locked',
      `${manual}/explicit-locking.html`,
    ],
    ['dataWrite', 'data-writes', 'Transactions wait for data to be written', `${events}-IO-TABLE`],
    ['temporaryFiles', 'temporary-files', 'Transactions wait for temporary files', `${resources}-WORK-MEM`],
    ['parallel', 'parallel-workers', 'Transactions wait for their parallel workers', `${manual}/parallel-plans.html`],
    ['internalLocks', 'internal-locks', 'Transactions wait for locks inside the server', `${events}-LWLOCK-TABLE`],
    ['asleep', 'asleep', 'Sessions neither work nor wait for anything that the server names', `${events}-TABLE`],
    ['sleep', 'sleep', 'Transactions sleep', sleeping],
    ['connecting', 'connecting', 'Transactions wait for their own connection', ...connections],
  ] as const
).map(([kind, name, title, ...sources]) => ({ name, title, kinds: { [kind]: null }, sources }));
