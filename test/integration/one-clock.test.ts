import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { median } from '../../runner/statistics/quantiles.ts';
import { folderSeries } from '../../runner/storage/series.ts';
import { oneBlock, TinyRun } from '../helpers/processes/tiny-run.ts';

let tiny: TinyRun;
beforeEach(() => {
  tiny = new TinyRun();
});
afterEach(() => tiny.remove());

const seconds = 10;

/** Carries out the experiment, and gives of each trial its measures, and its series in the seconds of the trial. */
async function measured(workload: object) {
  // Other work on this machine takes the verdict away, but not the values.
  tiny.define({ ...oneBlock, workload, profiles: { local: {} } });
  const { exitCode, stderr } = await tiny.run('load-run', 'tiny', '--local', '--volumes', 'folders').ended;
  expect(exitCode, stderr).toBe(0);
  const series = folderSeries(path.join(tiny.folder, 'results/tiny/latest'));
  return Promise.all(
    tiny.result().trials.map(async (trial) => ({ ...trial, points: [...(await series.read(trial))] })),
  );
}

type Measured = Awaited<ReturnType<typeof measured>>[number];

function expectOneClock({ points, measures }: Measured): number[] {
  for (const [name, own] of points) {
    const inTrial = own.map(({ second }) => second);
    // A source starts a moment before the load, and looks once more a moment after it.
    expect([name, Math.min(...inTrial) >= -1, Math.max(...inTrial) <= seconds + 2]).toEqual([name, true, true]);
    expect([name, inTrial.every(Number.isInteger)]).toEqual([name, true]);
  }
  const rates = (points.find(([name]) => name === 'tps')?.[1] ?? []).filter(({ second }) => second < seconds);
  expect(rates.map(({ second }) => second)).toEqual(Array.from({ length: seconds }, (_, second) => second));
  const all = points.find(([name]) => name === 'tps')?.[1] ?? [];
  expect(all.reduce((sum, { value }) => sum + value, 0)).toBe(measures['transactions']);
  return rates.map(({ value }) => value);
}

test('every source of a trial of pgbench counts its seconds from the start of the load', async () => {
  // Sleeping decides the pace of these transactions, so that other work on this machine changes it by a few percent only. With a
  // pace that nothing changes, the median is the summary's (test/workloads/pgbench/transaction-log.test.ts).
  writeFileSync(path.join(tiny.folder, 'experiments/sleep.sql'), '\\sleep 20 ms\nSELECT 1;\n');
  const workload = { tool: 'pgbench', scale: 1, clients: 4, threads: 1, durationSeconds: seconds };
  const trials = await measured({ ...workload, scripts: [{ file: 'sleep.sql' }] });
  expect(trials).toHaveLength(2);
  for (const trial of trials) {
    const middle = median(expectOneClock(trial)) ?? NaN;
    expect(Math.abs(middle / (trial.measures['tps'] ?? NaN) - 1)).toBeLessThan(0.05);
    expect(trial.points.map(([name]) => name)).toContain('driver.runQueue');
  }
});

test('so does every source of a trial of orders', async () => {
  const trials = await measured({ tool: 'orders', warehouses: 1, clients: 2, threads: 1, durationSeconds: seconds });
  expect(trials).toHaveLength(2);
  for (const trial of trials) {
    expectOneClock(trial);
    expect(trial.points.some(([name]) => name.startsWith('waits.sessions.'))).toBe(true);
  }
});
