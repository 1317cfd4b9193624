import type { Client } from 'pg';
import { allOrNone } from './all-or-none.ts';
import { withConnection } from './connect.ts';
import type { Target } from './target.ts';

/**
 * Number of connections that read at the same time. Each reads one block at a time, and the first read of a block of a
 * restored volume waits for S3.
 */
const connections = 16;
/** Blocks per query: 64 MiB. So pgduet can show progress, and no connection is left with a whole table at the end. */
const blocksPerQuery = 8192;

/** What was read. */
export interface BytesRead {
  bytes: number;
}

interface Range {
  relation: number;
  fork: string;
  first: number;
  last: number;
}

/**
 * Reads every block of every table and index of a database through the server. A volume that was restored from a
 * snapshot fetches each block on its first read. Afterwards it is as fast as any other volume.
 *
 * pg_prewarm reads the blocks. Its mode `read` reads all of them from the volume and leaves PostgreSQL's cache alone.
 * Its mode `buffer` reads them into the cache, which keeps the last ones. If the extension was not installed before,
 * pgduet removes it afterwards. Tables that our role may not read are left out, such as system tables with passwords.
 *
 * @param into where the blocks go: nowhere, or into the server's cache
 * @param onProgress receives the finished share, from 0 to 1
 * @see https://www.postgresql.org/docs/current/pgprewarm.html
 */
export async function readDatabase(
  target: Target,
  {
    into,
    signal,
    onProgress = () => undefined,
  }: { into: 'nothing' | 'cache'; signal: AbortSignal; onProgress?: (done: number) => void },
): Promise<BytesRead> {
  const mode = into === 'cache' ? 'buffer' : 'read';
  const { ranges, blockBytes, wasThere } = await withConnection(target, prepare, signal, { long: true });
  const total = ranges.reduce((sum, range) => sum + blocksOf(range), 0);
  let done = 0;
  const left = ranges.values();
  const reader = async (client: Client): Promise<void> => {
    for (const range of left) {
      signal.throwIfAborted();
      const { relation, fork, first, last } = range;
      await client.query(`SELECT pg_prewarm($1::oid::regclass, $2, $3, $4, $5)`, [relation, mode, fork, first, last]);
      done += blocksOf(range);
      onProgress(total === 0 ? 1 : done / total);
    }
  };
  const readers = Array.from({ length: Math.min(connections, Math.max(1, ranges.length)) });
  await allOrNone(readers, (_, ended) =>
    withConnection(target, reader, AbortSignal.any([signal, ended]), { long: true }),
  );
  if (!wasThere) await withConnection(target, (client) => client.query('DROP EXTENSION pg_prewarm'), signal);
  return { bytes: total * blockBytes };
}

async function prepare(client: Client): Promise<{ ranges: Range[]; blockBytes: number; wasThere: boolean }> {
  const installed = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'pg_prewarm'`);
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_prewarm');
  // Leaves out relations that all databases share, which are small and may not be ours, and temporary ones of other
  // sessions.
  const { rows } = await client.query<{ relation: number; fork: string; blocks: number; blockBytes: number }>(
    `SELECT c.oid::int8::float8 AS relation, fork, (pg_relation_size(c.oid, fork) / size)::float8 AS blocks,
            size::float8 AS "blockBytes"
       FROM pg_class c,
            unnest(ARRAY['main', 'fsm', 'vm']) AS fork,
            (SELECT current_setting('block_size')::int8 AS size) AS blocks
      WHERE c.relkind IN ('r', 'i', 't', 'm', 'S') AND c.relpersistence <> 't' AND NOT c.relisshared
        AND has_table_privilege(c.oid, 'SELECT') AND pg_relation_size(c.oid, fork) >= size
      ORDER BY blocks DESC`,
  );
  return {
    ranges: rows.flatMap(({ relation, fork, blocks }) =>
      Array.from({ length: Math.ceil(blocks / blocksPerQuery) }, (_, part): Range => {
        const first = part * blocksPerQuery;
        return { relation, fork, first, last: Math.min(first + blocksPerQuery, blocks) - 1 };
      }),
    ),
    blockBytes: rows[0]?.blockBytes ?? 0,
    wasThere: installed.rowCount === 1,
  };
}

function blocksOf({ first, last }: Range): number {
  return last - first + 1;
}
