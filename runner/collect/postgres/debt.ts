import type { Client } from '../../postgres/client.ts';
import { withConnection } from '../../postgres/connect.ts';
import { outsideLoad } from '../../postgres/target.ts';
import { UserError, wordsOf } from '../../contract/errors.ts';
import { withoutRole } from '../../postgres/predefined-roles.ts';
import { absent, reasonOfRefusal } from '../absent.ts';
import type { Collector, Findings } from '../collector.ts';
import { metric } from '../metric.ts';

const metrics = [
  metric('bytes', 'debt.walBytes', 'WAL to replay after a crash', {
    compared: 'ratio',
    source:
      'pg_control_checkpoint and pg_current_wal_insert_lsn when the load has ended: WAL since the start of the last completed checkpoint',
  }),
  metric('count', 'debt.dirtyBuffers', 'dirty buffers at the end', {
    compared: 'ratio',
    source: 'the extension pg_buffercache in database postgres, when the load has ended',
  }),
  metric('seconds', 'debt.recoverySeconds', 'crash recovery (estimated)', {
    compared: 'ratio',
    estimate: 'dirty buffers at the end / IOPS limit of the data volume + WAL to replay / 300 MB/s',
    source:
      'debt.dirtyBuffers / IOPS limit of the data volume + debt.walBytes / 300 MB/s: a model; only if the volume’s IOPS are limited',
  }),
];

/** Work that a trial leaves undone. Part of its speed is paid for later, after a crash or by the next checkpoint. */
export const debt: Collector = {
  name: 'debt',
  optional: true,
  metrics,
  start({ target, signal, volumes }) {
    const dataIops = volumes?.find(({ name }) => name === 'data')?.iopsLimit ?? null;
    return Promise.resolve({
      async stop(): Promise<Findings> {
        try {
          // Outside the measured database, so that our commits are not counted as commits of the load.
          const outside = outsideLoad(target);
          return await withConnection(outside, (client) => collect(client, { dataIops, ...outside }), signal);
        } catch (error) {
          if (signal.aborted) throw error;
          return absent(debt.name, `the query failed: ${wordsOf(error)}`);
        }
      },
      abandon: () => Promise.resolve(),
    });
  },
};

async function collect(
  client: Client,
  { dataIops, database }: { dataIops: number | null; database: string },
): Promise<Findings> {
  const gaps: string[] = [];
  const ask = async (what: string, answer: Promise<number | null>): Promise<number | null> => {
    try {
      return await answer;
    } catch (error) {
      gaps.push(`${what}: ${error instanceof UserError ? error.message : reasonOfRefusal(error)}`);
      return null;
    }
  };
  const walBytes = await ask('WAL to replay is unknown', walSinceCheckpoint(client));
  const dirtyBuffers = await ask('dirty buffers are not counted', countDirty(client, database));
  const reported = {
    'debt.walBytes': walBytes,
    'debt.dirtyBuffers': dirtyBuffers,
    'debt.recoverySeconds':
      walBytes === null || dirtyBuffers === null || dataIops === null
        ? null
        : recoverySeconds({ walBytes, dirtyBuffers, dataIops }),
  };
  return { measures: reported, ...(gaps.length > 0 && absent(debt.name, gaps.join('; '))) };
}

async function walSinceCheckpoint(client: Client): Promise<number | null> {
  const { rows } = await client.query<{ walBytes: number }>(
    `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::float8 AS "walBytes" FROM pg_control_checkpoint()`,
  );
  return rows[0]?.walBytes ?? null;
}

/**
 * @param database in which the extension must be
 * @throws {UserError} if it is missing, or if our role may not use it
 */
async function countDirty(client: Client, database: string): Promise<number | null> {
  const { rows: found } = await client.query<{ schema: string; usable: boolean; summarizes: boolean }>(
    `SELECT quote_ident(nspname) AS schema, pg_has_role('pg_monitor', 'USAGE') AS usable,
        to_regprocedure(quote_ident(nspname) || '.pg_buffercache_summary()') IS NOT NULL AS summarizes
      FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace WHERE extname = 'pg_buffercache'`,
  );
  const [extension] = found;
  if (!extension) throw new UserError(`run CREATE EXTENSION pg_buffercache in the database ${database}`);
  if (!extension.usable) throw new UserError(withoutRole('pg_monitor'));
  // The summary takes no locks and reads no page of the view.
  const { rows } = await client.query<{ dirty: number }>(
    extension.summarizes
      ? `SELECT buffers_dirty::float8 AS dirty FROM ${extension.schema}.pg_buffercache_summary()`
      : `SELECT count(*)::float8 AS dirty FROM ${extension.schema}.pg_buffercache WHERE isdirty`,
  );
  return rows[0]?.dirty ?? null;
}

/**
 * Bytes of WAL that a server replays per second: 73 MB took 0.23 s on two cores (test/integration/recovery.test.ts).
 */
const replayBytesPerSecond = 300e6;

/**
 * How long a server that crashes now would take until it accepts clients again. It replays the WAL since the start of
 * the last completed checkpoint. Then the checkpoint at the end of recovery writes all changed pages.
 *
 * The model counts one I/O for each page that is dirty now. The real time may be half of that if the volume merges
 * neighbouring pages. It may be longer, because replay also changes pages that were written since the checkpoint. WAL
 * is read from memory, as after the crash of a server whose machine keeps running.
 *
 * @param dataIops IOPS limit of the data volume
 * @returns seconds
 * @see StartupXLOG in src/backend/access/transam/xlog.c of PostgreSQL
 */
export function recoverySeconds(debt: { walBytes: number; dirtyBuffers: number; dataIops: number }): number {
  return debt.walBytes / replayBytesPerSecond + debt.dirtyBuffers / debt.dataIops;
}
