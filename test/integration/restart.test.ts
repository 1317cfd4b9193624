import { expect, test } from 'vitest';
import { resetDatabase } from '../../runner/postgres/reset.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { clusterForTest } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { oneBlock, onFolders, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

const signal = new AbortController().signal;
const steps = ['restore', 'restart', 'prewarm', 'checkpoint'];

test('a restart empties the cache, keeps the address, and is no failure; prewarm fills the cache', async () => {
  const cluster = await clusterForTest();
  const cached = (): Promise<number> =>
    withConnection(cluster.target, async (client) => {
      await client.query('CREATE EXTENSION IF NOT EXISTS pg_buffercache');
      const { rows } = await client.query<{ blocks: number }>(
        `SELECT count(*)::int AS blocks FROM pg_buffercache WHERE relfilenode = pg_relation_filenode('filled')`,
      );
      return rows[0]?.blocks ?? 0;
    });
  await queryOn(cluster.target, 'CREATE TABLE filled AS SELECT generate_series(1, 100000) AS number');
  const filled = await cached();
  expect(filled).toBeGreaterThan(300);

  const restart = () => cluster.restart();
  await resetDatabase(cluster.target, { steps: ['restart'], own: {}, restart }, signal);
  expect(await cached()).toBe(0);
  expect(cluster.target.failed.aborted).toBe(false);

  // Whoever installed the extension may have given it a schema of its own.
  await queryOn(cluster.target, 'CREATE SCHEMA "of Its own"; CREATE EXTENSION pg_prewarm SCHEMA "of Its own"');
  const { done } = await resetDatabase(cluster.target, { steps: ['prewarm'], own: {} }, signal);
  expect(await cached()).toBeGreaterThanOrEqual(filled);
  expect(done).toEqual([{ step: 'prewarm', seconds: expect.any(Number) as number }]);
  // It ends for good this time.
  await cluster.remove();
  expect(cluster.target.failed.aborted).toBe(true);
});

function tinyWith(variants: object): TinyRun {
  const tiny = tinyRun();
  const [baseline] = Object.keys(variants);
  const common = { ...oneBlock.common, storage: { type: 'local', sizeGib: 1 } };
  tiny.define({ ...oneBlock, variants, baseline, common, protocol: { ...oneBlock.protocol, reset: steps } });
  return tiny;
}

test('servers are restarted before every trial, also with a standby, and each step of the reset is timed', async () => {
  const { trials } = await tinyWith({ alone: {}, mirrored: { storage: { standbys: 1 } } }).measured();
  expect(trials).toHaveLength(2);
  for (const { state, resetSteps, resetSeconds = 0, facts } of trials) {
    expect(state).toBe('finished');
    expect(resetSteps?.map(({ step }) => step)).toEqual(steps);
    const sum = (resetSteps ?? []).reduce((total, { seconds }) => total + seconds, 0);
    expect(sum).toBeGreaterThan(0);
    expect(sum).toBeLessThanOrEqual(resetSeconds + 0.05);
    expect(facts.restarted).not.toBe(true);
  }
});

test('servers that were kept cannot be restarted, which ends the run before anything is measured', async () => {
  const tiny = tinyWith({ one: {}, two: {} });
  const loaded = await tiny.run('load', 'tiny', ...onFolders).ended;
  expect(loaded.exitCode, loaded.stderr).toBe(0);
  const { exitCode, text } = await tiny.run('run', 'tiny', '--local').ended;
  expect(text).toContain('restart is not possible for servers kept by an earlier command.');
  expect(exitCode).toBe(2);
  await tiny.run('clean').ended;
  tiny.expectNothingLeft();
});
