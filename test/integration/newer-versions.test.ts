import path from 'node:path';
import { expect, test } from 'vitest';
import { newEvent, standInVersion } from '../helpers/servers/stand-in-version.ts';
import { installedPostgres } from '../helpers/servers/local-cluster.ts';
import { oneBlock, tinyRun } from '../helpers/processes/tiny-run.ts';

test.each([
  { major: 19, unknown: false },
  { major: 20, unknown: true },
])('PostgreSQL $major is planned, measured beside an older one, and compared with it', async ({ major, unknown }) => {
  const installed = await installedPostgres();
  const tiny = tinyRun();
  // The sleep stands in for a flush, which an idle disk ends before a sample meets it.
  const script = 'UPDATE pgbench_tellers SET tbalance = 1;\nSELECT pg_sleep(0.05);\n';
  tiny.put('touch.sql', script);
  const newer = standInVersion(path.join(tiny.folder, `postgres-${major}`), installed.folder, major);
  tiny.define({
    ...oneBlock,
    workload: { ...oneBlock.workload, clients: 4, durationSeconds: 3, scripts: [{ file: 'touch.sql' }] },
    variants: {
      one: { engine: { version: installed.version } },
      two: { engine: { version: String(major), ...(unknown && { parameters: { work_mem: '8MB' } }) } },
    },
  });
  const folders = ['--pg-bindir', newer, '--pg-bindir', installed.folder];
  const result = await tiny.measured(...folders);
  expect(result.variants.map(({ serverVersion }) => serverVersion)).toEqual([installed.version, `${major}.0`]);
  expect(result.comparisons.map(({ metric }) => metric)).toContain('tps');
  const isNewer = `PostgreSQL ${major} is newer than pgduet knows`;
  expect(result.text.includes(isNewer)).toBe(unknown);
  expect(
    result.warnings
      .map(({ message }) => message)
      .join('\n')
      .includes(isNewer),
  ).toBe(unknown);
  const trial = result.trials.find(({ conditions }) => conditions.variant === 'two');
  expect(trial?.state).toBe('finished');
  expect(trial?.facts.absent).not.toHaveProperty('wal');
  const { measures = {}, facts } = trial ?? {};
  for (const name of ['wal.bytes', 'wal.syncs', 'wal.fullPageImageBytes', 'checkpoints.requested']) {
    expect(measures[name], name).toBeGreaterThanOrEqual(0);
  }
  const flush = unknown ? `IO:${newEvent}` : 'IO:WalSync';
  expect(measures[`waits.sessions.${flush}`]).toBeGreaterThan(0);
  expect(measures[unknown ? 'turn.walFiles' : 'turn.walFlush']).toBeGreaterThan(0);
  expect(facts?.unknownWaitEvents).toEqual(unknown ? [`IO:${newEvent}`] : undefined);
});
