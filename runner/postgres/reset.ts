import type { Client } from './client.ts';
import { hasCode, isRefusal, wordsOf } from '../contract/errors.ts';
import { allOrNone, withConnection } from './connect.ts';
import { restoreLoadedCopy } from './loaded-copy.ts';
import type { Target } from './target.ts';
import { vacuumPermitted } from './vacuum.ts';

export interface ResetRequest {
  steps: readonly string[];
  /** The steps that only the tool has, by name: their statements, or a function that carries them out. */
  own: Readonly<Record<string, OwnStep>>;
  /** Restarts the server; undefined if that is impossible. */
  restart?: ((signal: AbortSignal) => Promise<void>) | undefined;
}

/** A step that only a tool has. */
export interface OwnStep {
  statements: readonly string[] | ((signal: AbortSignal) => Promise<void>);
}

/** What was done, how long each step took, and in words what could not be done. */
export interface ResetReport {
  done: { step: string; seconds: number }[];
  warnings: string[];
}

/**
 * Brings the database to the state in which every trial starts.
 */
export async function resetDatabase(target: Target, request: ResetRequest, signal: AbortSignal): Promise<ResetReport> {
  const report: ResetReport = { done: [], warnings: [] };
  for (const step of inOrder(request.steps)) {
    const start = performance.now();
    report.warnings.push(...(await carryOut(step, target, request, signal)));
    report.done.push({ step, seconds: (performance.now() - start) / 1000 });
  }
  return report;
}

/** `restore` comes first, whatever its place in the list: it replaces the database, and so the work of other steps. */
function inOrder(steps: readonly string[]): string[] {
  return [...steps.filter((step) => step === 'restore'), ...steps.filter((step) => step !== 'restore')];
}

async function carryOut(
  step: string,
  target: Target,
  { own, restart }: ResetRequest,
  signal: AbortSignal,
): Promise<string[]> {
  const connected = <T>(work: (client: Client) => Promise<T>): Promise<T> =>
    withConnection(target, work, signal, { long: true });
  switch (step) {
    case 'restore':
      await restoreLoadedCopy(target, signal);
      return [];
    case 'restart':
      if (!restart) throw new Error(`${target.server} cannot be restarted here`);
      await restart(signal);
      return [];
    case 'prewarm':
      await readDatabase(target, { into: 'cache', signal });
      return [];
    case 'vacuum':
      await connected(vacuumPermitted);
      return [];
    case 'checkpoint':
      return connected((client) => checkpoint(client, target));
    default: {
      const statements = own[step]?.statements ?? [];
      if (typeof statements === 'function') await statements(signal);
      else
        await connected(async (client) => {
          for (const statement of statements) await client.query(statement);
        });
      return [];
    }
  }
}

/**
 * The next checkpoint begins after a number of whole WAL segments. So every trial should start at the beginning of a
 * segment. Otherwise some trials have most of a segment left and others a few pages, and their checkpoints begin
 * seconds apart.
 *
 * On RDS, the master user may lack the right to checkpoint. The trial is still useful, so this is only a warning. It
 * may also lack the right to switch segments. pgduet then skips that.
 */
async function checkpoint(client: Client, { server, service }: Target): Promise<string[]> {
  try {
    const may = "SELECT has_function_privilege('pg_switch_wal()', 'EXECUTE') AS may";
    if ((await client.query<{ may: boolean }>(may)).rows[0]?.may) await client.query('SELECT pg_switch_wal()');
    await client.query('CHECKPOINT');
    return [];
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // A server that was there before is asked for the right once, for the whole run (predefined-roles.ts).
    if (service !== undefined && hasCode(error, insufficientPrivilege)) return [];
    return [`${server}: no CHECKPOINT before the trial (${wordsOf(error)})`];
  }
}

/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const insufficientPrivilege = '42501';

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
  const { ranges, blockBytes, wasThere, schema } = await withConnection(target, prepare, signal, { long: true });
  const total = ranges.reduce((sum, range) => sum + blocksOf(range), 0);
  let done = 0;
  const left = ranges.values();
  const reader = async (client: Client): Promise<void> => {
    for (const range of left) {
      signal.throwIfAborted();
      const { relation, fork, first, last } = range;
      await client.query(`SELECT ${schema}.pg_prewarm($1::oid::regclass, $2, $3, $4, $5)`, [
        relation,
        mode,
        fork,
        first,
        last,
      ]);
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

async function prepare(
  client: Client,
): Promise<{ ranges: Range[]; blockBytes: number; wasThere: boolean; schema: string }> {
  const installed = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'pg_prewarm'`);
  await client.query('CREATE EXTENSION IF NOT EXISTS pg_prewarm');
  // Whoever installed it before may have put it into a schema of its own.
  const { rows: found } = await client.query<{ schema: string }>(
    `SELECT quote_ident(nspname) AS schema FROM pg_extension JOIN pg_namespace n ON n.oid = extnamespace
      WHERE extname = 'pg_prewarm'`,
  );
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
    schema: found[0]?.schema ?? 'public',
  };
}

function blocksOf({ first, last }: Range): number {
  return last - first + 1;
}
