import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyFolder } from '../../runner/analysis/verify/verify-run.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { readSums } from '../../runner/files/sums.ts';
import { latestRunIfAny, unfinishedRun } from '../../runner/run/unfinished-run.ts';
import { newFolderStore } from '../../runner/storage/results-folder.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { fakeRun, type FakeRun, temporaryFolder } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const until = new AbortController().signal;
const protocol = { reset: [], repeats: 0, blocks: 2 };
const id = 'block-01-2-two';
const own = (file: string): string => path.join(run.folder, 'trials', id, file);
const printed = 'printed by another program';
let results: string;
let run: FakeRun;

function runIn(folder: string): FakeRun {
  return fakeRun({
    protocol,
    folder,
    generator: {
      measure: (_, request) => {
        writeFileSync(path.join(request.folder, 'output.log'), printed);
        writeFileSync(path.join(request.folder, 'errors.log'), '');
        return Promise.resolve({ measures: { tps: 100 }, facts: {} });
      },
    },
  });
}

/** A run that has come to its end. */
beforeEach(async () => {
  results = temporaryFolder();
  run = runIn(newFolderStore(results, new Date('2026-11-21T12:00:00Z')).folder);
  await run.carryOut();
});

const wanted = () => ({
  experiment: run.execution.experiment,
  profile: run.execution.plan.profile,
  inputs: run.execution.inputs,
});
const recordOnDisk = (): Trial => JSON.parse(readFileSync(own('trial.json'), 'utf8')) as Trial;

const losses: [string, () => void, string][] = [
  ['raw output is empty', () => truncateSync(own('output.log')), 'output.log has 0 of 26 bytes'],
  ['raw output lost its end', () => truncateSync(own('output.log'), 20), 'output.log has 20 of 26 bytes'],
  ['raw output is gone', () => rmSync(own('output.log')), 'output.log is missing'],
  ['record is empty', () => truncateSync(own('trial.json')), 'trial.json has 0 of its bytes'],
  ['folder is gone', () => rmSync(own('.'), { recursive: true }), 'errors.log is missing'],
];

describe('a trial whose', () => {
  it('files are whole has their sizes in its record', () => {
    expect(recordOnDisk().files).toEqual({ 'output.log': 26, 'errors.log': 0 });
  });

  it.each(losses)('%s counts as cut off, and is measured again as a part of the same run', async (_, lose, what) => {
    lose();
    const { findings } = await verifyFolder(run.folder, until);
    const lost = findings.filter((found) => ['file-changed', 'file-missing'].includes(found.id));
    expect(lost.map(({ file }) => file).join()).toContain(`trials/${id}/`);
    const { earlier, measured, warning } = await unfinishedRun(results, wanted(), until);
    expect(warning).toContain(`trials/${id}/${what}`);
    expect(measured).toBe(false);
    expect(earlier.trials.map((trial) => [trial.id, trial.state]).sort()).toEqual([
      ['block-01-1-one', 'finished'],
      [id, 'interrupted'],
      ['block-02-1-one', 'finished'],
      ['block-02-2-two', 'finished'],
    ]);
    expect(recordOnDisk()).toMatchObject({
      block: 1,
      position: 2,
      attempt: 1,
      conditions: { variant: 'two' },
      measures: {},
      failure: { stage: 'collect', error: expect.stringContaining(`${what}, as after a power cut`) as string },
    });
    const result = await runIn(run.folder).carryOut({ earlier });
    expect(result?.complete).toBe(true);
    expect(result?.trials.filter(({ state }) => state === 'finished')).toHaveLength(5);
    const verified = await verifyFolder(run.folder, until);
    expect(verified).toMatchObject({ files: { open: [] }, trials: { checked: 5 } });
    // The load of this test prints nothing that could be read again.
    expect(new Set(verified.findings.map((found) => found.id))).toEqual(new Set(['output-missing']));
  });

  it.each(losses)('%s makes its block unknown: nobody chooses by it what counts', async (_, lose) => {
    lose();
    const { earlier } = await unfinishedRun(results, wanted(), until);
    const result = await runIn(run.folder).carryOut({ earlier });
    const [primary] = result?.comparisons.filter(({ metric }) => metric === 'tps') ?? [];
    expect(primary?.unknownBlocks).toMatchObject([{ block: 1, reason: 'cut-off', trials: [id] }]);
  });

  it('raw output is empty is measured again by a driver, too', async () => {
    truncateSync(own('output.log'));
    const { earlier, warning } = (await latestRunIfAny(results, wanted(), until)) ?? {};
    expect(warning).toContain('output.log has 0 of 26 bytes');
    expect(earlier?.trials.find((trial) => trial.id === id)?.state).toBe('interrupted');
    expect(readSums(run.folder)?.has(`trials/${id}/trial.json`)).toBe(false);
  });

  it.each([
    ['is as long as it was', () => writeFileSync(own('output.log'), printed.toUpperCase())],
    ['is longer', () => writeFileSync(own('output.log'), `${printed}.`)],
  ])('raw output was changed and %s makes the run one that pgduet does not resume', async (_, change) => {
    change();
    await expect(unfinishedRun(results, wanted(), until)).rejects.toThrow(
      `--resume: ${own('output.log')} was changed: this contradicts SHA256SUMS`,
    );
    expect(readSums(run.folder)?.has(`trials/${id}/trial.json`)).toBe(true);
  });

  it('files were cut short stays as it is where another experiment is to be resumed', async () => {
    truncateSync(own('output.log'));
    const other = { ...wanted(), experiment: { ...run.execution.experiment, question: 'Another one?' } };
    await expect(unfinishedRun(results, other, until)).rejects.toThrow(
      'measured something different, so new trials cannot be added',
    );
    expect(readSums(run.folder)?.has('result.json')).toBe(true);
  });
});
