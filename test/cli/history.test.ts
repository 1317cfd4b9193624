import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { historySchema } from '../../runner/contract/history.ts';
import type { Result } from '../../runner/contract/result.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { unseal } from '../helpers/samples/sealed-sample.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';
import { saveResult } from '../helpers/samples/saved-sample.ts';

let workingFolder = '';
beforeEach(() => {
  workingFolder = temporaryFolder();
});

/** A run on that day of November, in which the candidate is faster by the factor. */
async function runOn(day: number, gain: number, change: (result: Result) => void = () => undefined): Promise<string> {
  const result = await sampleResult({ variants: { 'without-log-volume': 1, 'with-log-volume': gain }, seed: day });
  const at = `2026-11-${String(day).padStart(2, '0')}`;
  const folder = path.join(workingFolder, 'results/quick', `${at}T06-28-18Z`);
  const own = { ...result, startedAt: `${at}T06:28:18.000Z` };
  change(own);
  await saveResult(folder, own);
  return folder;
}

async function shown() {
  const { stdout, exitCode, stderr } = await runCommandLine(['history', 'quick', '--json'], { workingFolder });
  expect(exitCode, stderr).toBe(0);
  return historySchema.parse(JSON.parse(stdout));
}

const onAnotherVersion = (result: Result): void => {
  result.variants = result.variants.map((one) => ({ ...one, serverVersion: '18.1' }));
};

describe('history', () => {
  it('has every run in the order of time, each with its answer', async () => {
    for (const [day, gain] of [
      [3, 1.2],
      [1, 1.3],
      [2, 0.8],
    ] as const)
      await runOn(day, gain);
    const { runs, next } = await shown();
    expect(runs.map(({ run }) => run.slice(0, 10))).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
    expect(runs.map(({ answers }) => answers[0]?.verdict)).toEqual(['better', 'worse', 'better']);
    expect(runs.every(({ differences }) => differences.length === 0)).toBe(true);
    expect(next).toHaveLength(1);
  });

  it('says what differs from the run before, and predicts only from runs that are alike', async () => {
    for (const day of [1, 2, 3]) await runOn(day, 1.3);
    for (const day of [4, 5]) await runOn(day, 1.1, onAnotherVersion);
    const { runs, next } = await shown();
    expect(runs.map(({ differences }) => differences.map(({ name }) => name))).toEqual([
      ...[[], [], []],
      ['servers.without-log-volume.version', 'servers.with-log-volume.version'],
      [],
    ]);
    expect(next).toEqual([]);
  });

  it('counts no run whose files were changed or have no manifest', async () => {
    for (const day of [1, 2]) await runOn(day, 1.3);
    unseal(await runOn(3, 9), 'result.json');
    const { runs, next } = await shown();
    expect(runs.map(({ doubt }) => doubt === null)).toEqual([true, true, false]);
    expect(next).toEqual([]);
  });

  it('shows no figures of a run that may go on: it may be a blind one', async () => {
    await runOn(1, 1.3, (result) => (result.complete = false));
    const [run] = (await shown()).runs;
    expect(run?.answers.map(({ change, interval, verdict }) => [change, interval, verdict])).toEqual([
      [null, null, null],
    ]);
  });

  it('refuses a name without results', async () => {
    const { exitCode, stderr } = await runCommandLine(['history', 'quick'], { workingFolder });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--out');
  });
});
