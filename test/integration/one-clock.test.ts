import path from 'node:path';
import { describe, expect } from 'vitest';
import { runChecked } from '../../runner/process/run-command.ts';
import { median } from '../../runner/statistics/summaries.ts';
import { folderSeries } from '../../runner/storage/series.ts';
import { hasTcl, standInArchive } from '../helpers/hammerdb/stand-in.ts';
import { type TinyRun, oneBlock, testWithTiny } from '../helpers/processes/tiny-run.ts';

const seconds = 10;
const test = testWithTiny();

/** Carries out the experiment, and gives of each trial its measures, and its series in the seconds of the trial. */
async function measured(tiny: TinyRun, workload: object, protocol: object = {}) {
  // Other work on this machine takes the verdict away, but not the values.
  tiny.define({ ...oneBlock, workload, protocol: { ...oneBlock.protocol, ...protocol }, profiles: { local: {} } });
  const { trials } = await tiny.measured();
  const series = folderSeries(path.join(tiny.folder, 'results/tiny/latest'));
  return Promise.all(trials.map(async (trial) => ({ ...trial, points: [...(await series.read(trial))] })));
}

type Measured = Awaited<ReturnType<typeof measured>>[number];

/** Sources of series besides the load, by how the names of these begin. Volumes of limited IOPS would take root. */
const sources = ['waits.samples', 'driver.user', 'driver.runQueue', 'driver.loadGeneratorProcessors'];

/** @param lasts length of the measured part, in seconds */
function expectOneClock({ points }: Measured, lasts: number): void {
  for (const [name, own] of points) {
    const inTrial = own.map(({ second }) => second);
    // A source starts a moment before the load, and looks once more a moment after it.
    expect([name, Math.min(...inTrial) >= -1, Math.max(...inTrial) <= lasts + 2]).toEqual([name, true, true]);
    expect([name, inTrial.every(Number.isInteger)]).toEqual([name, true]);
  }
  for (const source of sources) {
    const observed = new Set(points.find(([name]) => name === source)?.[1].map(({ second }) => second));
    const middle = Array.from({ length: lasts - 2 }, (_, index) => index + 1);
    // A second may be looked at late, where other work delays it.
    expect([source, middle.filter((second) => !observed.has(second)).length <= 2]).toEqual([source, true]);
  }
}

/** Expects that every transaction is in a second of the trial; returns how many are in each. */
function expectAllSeconds({ points, measures }: Measured): number[] {
  const all = points.find(([name]) => name === 'tps')?.[1] ?? [];
  const rates = all.filter(({ second }) => second < seconds);
  expect(rates.map(({ second }) => second)).toEqual(Array.from({ length: seconds }, (_, second) => second));
  expect(all.reduce((sum, { value }) => sum + value, 0)).toBe(measures['transactions']);
  return rates.map(({ value }) => value);
}

function expectMedian(values: readonly number[], summary: number | null | undefined, within: number): void {
  expect(Math.abs((median(values) ?? NaN) / (summary ?? NaN) - 1)).toBeLessThan(within);
}

/** Side by side: their loads leave this machine room. */
describe.concurrent('one clock', () => {
  test('every source of a trial of pgbench counts its seconds from the start of the load', async ({ tiny }) => {
    // Sleeping decides the pace of these transactions. Clients that sleep for unequal times do not end them all at once.
    const script = '\\set pause random(40000, 60000)\n\\sleep :pause us\nSELECT 1;\n';
    tiny.put('sleep.sql', script);
    const workload = { tool: 'pgbench', scale: 1, clients: 20, threads: 1, durationSeconds: seconds };
    const trials = await measured(tiny, { ...workload, scripts: [{ file: 'sleep.sql' }] });
    expect(trials).toHaveLength(2);
    for (const trial of trials) {
      expectOneClock(trial, seconds);
      expectMedian(expectAllSeconds(trial), trial.measures['tps'], 0.03);
    }
  });

  test('so does every source of a trial of orders', async ({ tiny }) => {
    const trials = await measured(tiny, {
      tool: 'orders',
      warehouses: 1,
      clients: 4,
      threads: 1,
      rate: 200,
      durationSeconds: seconds,
    });
    expect(trials).toHaveLength(2);
    for (const trial of trials) {
      expectOneClock(trial, seconds);
      // A schedule that is drawn decides the pace, so that seconds differ.
      expectMedian(expectAllSeconds(trial), trial.measures['tps'], 0.15);
      expect(trial.points.some(([name]) => name.startsWith('waits.sessions.'))).toBe(true);
    }
  });

  test.skipIf(!hasTcl)(
    'so does every source of a trial of HammerDB, whose counter stands at the middle of its ten seconds',
    async ({ tiny }) => {
      const [lasts, archive] = [22, 'HammerDB.tar.gz'];
      const file = path.join(tiny.folder, 'experiments', archive);
      await standInArchive(file, (command) => runChecked(command), { lastsMs: lasts * 1000, steady: true });
      const trials = await measured(
        tiny,
        { tool: 'hammerdb', warehouses: 1, users: 2, durationMinutes: 1, archive },
        // Both trials at the same time: the stand-in takes nothing of this machine.
        { order: 'together', warmUpSeconds: 0 },
      );
      expect(trials).toHaveLength(2);
      for (const trial of trials) {
        expectOneClock(trial, lasts);
        const counted = trial.points.find(([name]) => name === 'tpm')?.[1] ?? [];
        expect(counted.map(({ second }) => second)).toEqual([5, 15]);
        expectMedian(
          counted.map(({ value }) => value),
          trial.measures['tpm'],
          0.01,
        );
      }
    },
  );
});
