import type { Client } from '../../postgres/client.ts';
import { memberName, type MembersTable, type Metric } from '../../contract/metric.ts';
import { hasColumn } from '../../postgres/versions/known.ts';
import { emptyCollection } from '../absent.ts';
import type { Collector, Findings, Need } from '../collector.ts';
import { type Amount, metric } from '../metric.ts';
import { isOn, isUntimed } from '../needs.ts';
import { type CounterSnapshot, differenceOf, serverStartOf } from './counters.ts';

const source = 'pg_stat_io, from PostgreSQL 16 on, by type of backend, object and context';
const shown = { zeroWith: 'io.backends', source } as const;
const timed = { ...shown, source: `${source}; only with track_io_timing, or track_wal_io_timing for WAL` } as const;

/** A family for each column that we read. */
const families = {
  reads: family('count', 'reads', 'reads', shown),
  writes: family('count', 'writes', 'writes', shown),
  extends: family('count', 'extends', 'extensions', shown),
  fsyncs: family('count', 'fsyncs', 'fsyncs', shown),
  bytesWritten: family('bytes', 'bytesWritten', 'written', shown),
  readTime: family('seconds', 'readTime', 'time of reads', timed),
  writeTime: family('seconds', 'writeTime', 'time of writes', timed),
  fsyncTime: family('seconds', 'fsyncTime', 'time of fsyncs', timed),
};
const names = Object.keys(families) as (keyof typeof families)[];
const backends = metric('count', 'io.backends', 'rows of pg_stat_io that changed', { source, hidden: true });

function family(amount: Amount, name: string, column: string, rest: Pick<Metric, 'source'>): Metric {
  return metric(amount, `io.<backend>.${name}`, `${column} by <backend>`, { ...rest, column });
}

const table: MembersTable = {
  id: 'backends',
  title: 'I/O of the server, by type of backend',
  what: 'backend, object and context',
  placeholder: '<backend>',
  notes: ['From pg_stat_io, which PostgreSQL has had since version 16.'],
};

/** A row of pg_stat_io. All columns are text: pg would return some numbers as text, and others as floats. */
export type IoRow = { backend: string; reset: string | null } & Record<keyof typeof families, string | null>;

/** Times are in the same row as what took them. */
const timesOf = { readTime: 'reads', writeTime: 'writes', fsyncTime: 'fsyncs' } as const;

function timing(setting: string, isWal: boolean, gap: string): Need {
  const metrics = isWal
    ? /^io\.[^/]*\/wal\/.*\.(read|write|fsync)Time$/
    : /^io\.[^/]*\/(?!wal\/).*\.(read|write|fsync)Time$/;
  return {
    setting,
    suffices: isOn,
    gap,
    remedy: 'set it to on',
    metrics,
    everywhere: true,
    isDenied: (measures) =>
      Object.entries(measures).some(([name, seconds]) => {
        if (!metrics.test(name)) return false;
        const row = rowOf(name);
        const time = name.slice(row.length + 1) as keyof typeof timesOf;
        return isUntimed(measures[`${row}.${timesOf[time]}`], seconds);
      }),
  };
}

/** Which processes of the server read, wrote and flushed what, and how long that took. */
export const serverIo: Collector = {
  name: 'server-io',
  optional: true,
  metrics: [...Object.values(families), backends],
  needs: [
    timing('track_io_timing', false, 'I/O of data files is not timed'),
    timing('track_wal_io_timing', true, 'I/O of WAL files is not timed'),
  ],
  tables: [table],
  async start({ database, serverMajor }) {
    if (!hasColumn(serverMajor, 'pg_stat_io', 'writes')) {
      return emptyCollection(
        serverIo.name,
        `the view pg_stat_io needs PostgreSQL 16 or newer, and this server is ${serverMajor}`,
      );
    }
    const look = (client: Client) => snapshot(client, serverMajor);
    const before = await database(look);
    return {
      async stop() {
        return findingsOf(before, await database(look));
      },
    };
  },
};

async function snapshot(client: Client, serverMajor: number): Promise<CounterSnapshot> {
  const serverStartedAt = await serverStartOf(client);
  const { rows } = await client.query<IoRow>(queryFor(serverMajor));
  return { serverStartedAt, ...countersOf(rows) };
}

export function countersOf(rows: readonly IoRow[]): Omit<CounterSnapshot, 'serverStartedAt'> {
  const values = rows.flatMap((row) =>
    names.map((name) => {
      const text = row[name];
      return [memberName(families[name], row.backend), text === null ? null : Number(text)] as const;
    }),
  );
  return {
    resetAt: [...new Set(rows.flatMap(({ reset }) => reset ?? []))].sort().join(' ') || null,
    values: Object.fromEntries(values),
    gauges: {},
  };
}

/** The differences of all rows that changed. */
export function findingsOf(before: CounterSnapshot, after: CounterSnapshot): Findings {
  const { measures, facts } = differenceOf(serverIo.name, before, after);
  if (!measures) return { ...(facts && { facts }) };
  const known = Object.entries(measures).filter(([, value]) => value !== null);
  const changed = new Set(known.filter(([, value]) => value !== 0).map(([name]) => rowOf(name)));
  return {
    measures: {
      ...Object.fromEntries(known.filter(([name]) => changed.has(rowOf(name)))),
      [backends.name]: changed.size,
    },
  };
}

/** The name of a metric without its last part. */
function rowOf(name: string): string {
  return name.slice(0, name.lastIndexOf('.'));
}

/**
 * Before version 18, all I/Os of a row have the same size. Since 18, WAL has rows, too, with a separate setting for
 * times.
 */
function queryFor(major: number): string {
  const seconds = (column: string): string => `(${column} / 1000)::text`;
  return `SELECT backend_type || '/' || object || '/' || context AS backend, stats_reset::text AS reset,
    reads::text, writes::text, extends::text, fsyncs::text,
    ${hasColumn(major, 'pg_stat_io', 'op_bytes') ? '(writes * op_bytes)::text' : 'write_bytes::text'} AS "bytesWritten",
    ${seconds('read_time')} AS "readTime", ${seconds('write_time')} AS "writeTime", ${seconds('fsync_time')} AS "fsyncTime"
    FROM pg_stat_io`;
}
