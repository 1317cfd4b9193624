import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { contentsOf, requireSameContents } from '../../runner/postgres/contents.ts';
import { connectionString } from '../../runner/postgres/target.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { ownDataGenerator } from '../../runner/workloads/own-data/generator.ts';
import { ownDataSchema } from '../../runner/workloads/own-data/schema.ts';
import { resolveLevel } from '../../runner/workloads/pgbench/schema.ts';
import { documentedExample } from '../helpers/samples/documented-example.ts';
import { testedMajors, unpackPostgres, wheelsRunHere } from '../helpers/servers/postgres-wheels.ts';
import { type LocalCluster, queryOn, startLocalCluster } from '../helpers/servers/local-cluster.ts';

const { signal } = new AbortController();
const { 'schema.sql': schema = '' } = documentedExample();
const formats = ['custom', 'plain'] as const;

/** PGDUET_TEST_POSTGRES=all loads the dumps of every version that can be had into every other one. */
describe.skipIf(!wheelsRunHere)('a dump of one version', () => {
  const unpacked: Awaited<ReturnType<typeof unpackPostgres>>[] = [];
  const clusters: LocalCluster[] = [];
  let folder = '';
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'dumps-'));
    for (const major of testedMajors()) unpacked.push(await unpackPostgres(major));
    for (const programs of [undefined, ...unpacked.map((one) => one.programs)]) {
      const cluster = await startLocalCluster({ fsync: 'off' }, programs);
      clusters.push(cluster);
      const shop = { ...cluster.target, database: 'shop' };
      await queryOn(cluster.target, 'CREATE DATABASE shop');
      await queryOn(shop, schema);
      for (const format of formats) {
        const file = path.join(folder, `${cluster.major}.${format}`);
        await runChecked(
          [`${cluster.programs}/pg_dump`, `--format=${format}`, `--file=${file}`, connectionString(shop)],
          {
            environment: { PATH: process.env['PATH'], ...shop.environment },
          },
        );
      }
    }
    clusters.sort((one, other) => other.major - one.major);
  }, 900_000);
  afterAll(async () => {
    for (const cluster of clusters) await cluster.remove();
    for (const one of unpacked) one.remove();
    rmSync(folder, { recursive: true });
  });

  async function load(cluster: LocalCluster, name: string, among: readonly LocalCluster[]): Promise<unknown> {
    const [programs = '', ...otherPrograms] = among.map((one) => one.programs);
    writeFileSync(path.join(cluster.folder, 'look.sql'), 'SELECT 1;\n');
    copyFileSync(path.join(folder, name), path.join(cluster.folder, name));
    const workload = ownDataSchema.parse({
      tool: 'own-data',
      clients: 1,
      durationSeconds: 1,
      load: { dump: name },
      scripts: [{ file: 'look.sql' }],
    });
    const own = { ...cluster.target, database: 'own' };
    await ownDataGenerator({
      ...{ programs, otherPrograms, scriptFolder: cluster.folder, collect: [] },
      workload: resolveLevel(workload),
    }).load(own, { folder: cluster.folder, signal, onProgress: () => undefined });
    return withConnection(own, (client) => contentsOf(client));
  }

  it.each(formats)('in format %s is restored by all versions, as by its own', async (format) => {
    for (const { major } of clusters) {
      const loaded = [];
      for (const cluster of clusters) {
        const contents = await load(cluster, `${major}.${format}`, clusters);
        loaded.push({ server: String(cluster.major), contents: contents as Awaited<ReturnType<typeof contentsOf>> });
      }
      requireSameContents(loaded);
      expect(loaded[0]?.contents.rows).toMatchObject({ 'public.purchase': { rows: 1000 } });
    }
  });

  it('that no pg_restore here can read is refused before the database is emptied', async () => {
    const [newest, oldest] = [clusters[0], clusters.at(-1)];
    if (!newest || !oldest || newest.major < 17 || oldest.major > 15) return;
    await load(oldest, `${oldest.major}.custom`, [oldest]);
    const refused = load(oldest, `${newest.major}.custom`, [oldest]);
    await expect(refused).rejects.toThrow(UserError);
    await expect(refused).rejects.toThrow(/has the format 1\.16 of PostgreSQL 17 or newer\./);
    await withConnection({ ...oldest.target, database: 'own' }, async (client) => {
      expect((await client.query('SELECT FROM purchase')).rowCount).toBe(1000);
    });
  });
});
