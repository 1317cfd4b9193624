import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { debt } from '../../runner/collect/postgres/debt.ts';
import type { CollectedTrial } from '../../runner/collect/collector.ts';
import { startCluster } from '../../runner/places/local/cluster.ts';
import { makeRunFolder, type RunFolder } from '../../runner/places/local/run-folder.ts';
import { serverUser } from '../../runner/process/rights.ts';
import { limitedVolumes } from '../../runner/places/local/volumes/limited-volumes.ts';
import { releaseVolumes } from '../../runner/places/local/volumes/release-volumes.ts';
import type { Volumes } from '../../runner/places/local/volumes/volume.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { whyNoVolumes } from '../helpers/servers/limited-volumes.ts';
import { installedPostgres, clusterRequest } from '../helpers/servers/local-cluster.ts';

const dataIops = 400;
const { signal } = new AbortController();

/** How far the model may be from a real recovery, either way. It took 12 s where the model says 23: neighbouring pages are merged. */
const factor = 3;

describe.skipIf(whyNoVolumes !== null)('the recovery time of the model', () => {
  let runFolder: RunFolder;
  let volumes: Volumes;
  beforeEach(() => {
    runFolder = makeRunFolder(releaseVolumes);
    volumes = limitedVolumes(runFolder.volumes);
  });
  afterEach(() => runFolder.remove());

  it(`is that of a real crash recovery, within a factor of ${factor}, and grows with the debt`, async () => {
    const user = serverUser();
    const binaries = await installedPostgres();
    const volume = await volumes.create({ name: 'limited', sizeGib: 2, iops: dataIops }, signal);
    const dataFolder = path.join(volume.path, 'pgdata');
    mkdirSync(dataFolder, { mode: 0o700 });
    chownSync(dataFolder, user.uid, user.gid);
    const parameters = {
      max_wal_size: '1GB',
      checkpoint_timeout: '30min',
      shared_buffers: '128MB',
      bgwriter_lru_maxpages: 0,
    };
    const request = { ...clusterRequest(runFolder, user, parameters), dataFolder };
    const cluster = await startCluster(request, binaries, user, signal);
    const { target } = cluster;
    const pgbench = (...args: string[]): void => {
      const { status, stderr } = spawnSync(path.join(binaries.folder, 'pgbench'), [...args, target.database], {
        env: {
          ...process.env,
          ...target.environment,
          PGHOST: target.host,
          PGPORT: String(target.port),
          PGUSER: target.user,
        },
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(stderr);
    };
    const log = (): string => readFileSync(cluster.serverLog, 'utf8');
    const found: { model: number; real: number }[] = [];
    try {
      pgbench('-i', '-s', '10', '-q');
      for (const transactions of [480, 8000]) {
        await withConnection(target, (client) => client.query('CHECKPOINT'), signal, { long: true });
        await volume.limit(false);
        pgbench('-n', '-c', '8', '-t', String(transactions / 8), '-N');
        const data = { name: 'data', device: null, iopsLimit: dataIops, throughputLimit: null };
        const trial = { target, signal, serverMajor: binaries.major, volumes: [data] } as unknown as CollectedTrial;
        const collection = await debt.start?.(trial);
        const { measures = {} } = (await collection?.stop?.({ startedAt: new Date(), endedAt: new Date() })) ?? {};
        const model = measures['debt.recoverySeconds'] ?? NaN;
        await volume.limit(true);
        const before = log().length;
        // All others die with a backend that is killed, and the server recovers as after a crash.
        await withConnection(
          target,
          async (client) => {
            const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
            process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
            await sleep(200);
          },
          signal,
        ).catch(() => undefined);
        const killedAt = Date.now();
        await vi.waitFor(() => expect(log().slice(before)).toMatch(/ready to accept connections/), {
          timeout: 90_000,
          interval: 50,
        });
        const real = (Date.now() - killedAt) / 1000 + 0.2;
        found.push({ model, real });
      }
    } finally {
      await cluster.stop();
    }
    const [small, large] = found;
    for (const { model, real } of found) {
      expect(model).toBeGreaterThan(real / factor);
      expect(model).toBeLessThan(real * factor);
    }
    expect(large?.real).toBeGreaterThan(small?.real ?? Infinity);
    expect(large?.model).toBeGreaterThan(small?.model ?? Infinity);
  }, 240_000);
});
