import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { verifyFolder } from '../../runner/analysis/verify/verify-run.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { readSums } from '../../runner/files/sums.ts';
import type { Run } from '../../runner/run/run-shape.ts';
import { wereUsedBefore } from '../../runner/run/loaded-data.ts';
import { latestRunIfAny, recordToResume, unfinishedRun } from '../../runner/run/unfinished-run.ts';
import { trialsIn } from '../../runner/storage/stored-run.ts';
import { newFolderStore } from '../../runner/storage/results-folder.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { sealAgain } from '../helpers/samples/sealed-sample.ts';
import { fakeRun, type FakeRun, type FakeRunOptions, temporaryFolder } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const until = new AbortController().signal;

/** A run below the folder of its experiment, as the command line makes it. */
function runBelow(results: string, options: FakeRunOptions = {}): FakeRun {
  const { folder } = newFolderStore(results, new Date('2026-11-21T12:00:00Z'));
  return fakeRun({ ...options, protocol: { reset: [], repeats: 0, ...options.protocol }, folder });
}

const wanted = ({ experiment, plan, inputs }: Run) => ({ experiment, profile: plan.profile, inputs });

/** A run that was carried out below a new folder of an experiment, and how a run that resumes it begins. */
async function carriedOut({ isInterrupted = false, ...options }: FakeRunOptions & { isInterrupted?: boolean } = {}) {
  const results = temporaryFolder();
  const onEvent: FakeRunOptions['onEvent'] = ({ kind }) => kind === 'trial-ended' && run.interrupt('enough');
  const run = runBelow(results, { ...(isInterrupted && { onEvent }), ...options });
  // What a load prints.
  writeFileSync(path.join(run.folder, 'load-one.log'), 'loaded\n');
  await run.carryOut();
  const same = wanted(run.execution);
  const resumed = (other: Parameters<typeof unfinishedRun>[1] = same) => unfinishedRun(results, other, until);
  return { results, run, same, resumed, resultFile: path.join(run.folder, 'result.json') };
}

const generating = (measure: NonNullable<FakeRunOptions['generator']>['measure']): FakeRunOptions => ({
  generator: { measure },
});
const allFail = generating(() => Promise.reject(new Error('it broke')));
const oneFails = generating(({ server }) =>
  server === 'one' ? Promise.reject(new Error('it broke')) : Promise.resolve({ measures: { tps: 1 }, facts: {} }),
);
const besideNeighbour = generating(() => Promise.resolve({ measures: { tps: 100, 'driver.others': 0.6 }, facts: {} }));

describe('--resume', () => {
  it('finds what the latest run left, whose result stays until trials are measured again', async () => {
    const results = temporaryFolder();
    await runBelow(results).carryOut();
    const run = runBelow(results, { onEvent: ({ kind }) => kind === 'trial-ended' && run.interrupt('enough') });
    await run.carryOut();
    const result = path.join(run.folder, 'result.json');
    const { store, earlier } = await unfinishedRun(results, wanted(run.execution), until);
    expect(store.folder).toBe(run.folder);
    expect(earlier).toEqual(run.stored());
    expect(existsSync(result)).toBe(true);
    let there: boolean | undefined;
    const again = fakeRun({
      protocol: { reset: [], repeats: 0 },
      folder: run.folder,
      onEvent: ({ kind }) => kind === 'stage-started' && (there ??= existsSync(result)),
    });
    await again.carryOut({ earlier });
    expect(there).toBe(false);
  });

  it('is refused where raw output of a trial was changed', async () => {
    const { run, resumed } = await carriedOut({ isInterrupted: true });
    const [id] = trialsIn(readSums(run.folder));
    const file = path.join(run.folder, 'trials', id ?? '', 'pgbench.stdout.log');
    writeFileSync(file, 'tps = 2\n');
    sealAgain(run.folder);
    writeFileSync(file, 'tps = 1\n');
    await expect(resumed()).rejects.toThrow(`--resume: ${file} was changed: this contradicts SHA256SUMS`);
  });

  it('loads again into logs that the manifest does not hold against the run', async () => {
    const { run, resumed } = await carriedOut({ isInterrupted: true });
    expect(readSums(run.folder)?.has('load-one.log')).toBe(true);
    const { earlier } = await resumed();
    writeFileSync(path.join(run.folder, 'load-one.log'), 'loaded anew\n');
    await fakeRun({ protocol: { reset: [], repeats: 0 }, folder: run.folder }).carryOut({ earlier });
    const found = (await verifyFolder(run.folder, until)).findings.map(({ id }) => id);
    expect(found).not.toContain('file-changed');
    expect(found).not.toContain('file-missing');
  });

  it.each([
    ['after its last trial', {}],
    ['after it had lost its last trial', oneFails],
  ])('only makes the result of a run that was killed %s', async (_, options) => {
    const { resumed, resultFile } = await carriedOut(options);
    rmSync(resultFile);
    expect(await resumed()).toMatchObject({ measured: true, earlier: { trials: { length: 2 } } });
  });

  it.each([
    ['there is no run', () => undefined],
    ['a run was killed before it left a record', (results: string) => newFolderStore(results, new Date())],
  ])('is refused where %s', async (_, prepare) => {
    const results = temporaryFolder();
    prepare(results);
    const begun = unfinishedRun(results, wanted(fakeRun().execution), until);
    await expect(begun).rejects.toThrow('--resume: no run to resume at');
  });

  it.each<[what: string, options: FakeRunOptions, words: RegExp]>([
    ['every trial was measured', {}, /is complete\. /],
    ['it was precise enough before all blocks', { protocol: { blocks: 30, until: 'precision' } }, /is complete\./],
    ['nothing is left but losses', oneFails, /Its servers lost trials:\n {2}block-01-1-one: one failed in measure/],
    [
      // With repeats, a run ends after a first block of which nothing counts.
      'nothing is left but losses of both variants, after which it ended',
      { ...allFail, protocol: { blocks: 3, repeats: 1 } },
      /lost trials:\n {2}block-01-1-one: one failed .*\n {2}block-01-2-two: two failed .*\n.*pgduet does not repeat lost trials, because that would bias/,
    ],
    [
      'it ended by itself beside a neighbour and no server lost a trial',
      { ...besideNeighbour, protocol: { blocks: 5, repeats: 0, quietMachine: 'required' } },
      /has already ended\. Stopped after block 2: other programs/,
    ],
  ])('is refused, with the reason, where %s', async (_, options, words) => {
    const { resumed, resultFile } = await carriedOut(options);
    await expect(resumed()).rejects.toThrow(UserError);
    await expect(resumed()).rejects.toThrow(words);
    expect(existsSync(resultFile)).toBe(true);
  });

  it.each(['experiment', 'profile'])('is refused where another %s was measured', async (what) => {
    const { same, resumed, resultFile } = await carriedOut(oneFails);
    const experiment = { ...same.experiment, question: 'Another one?' };
    const other = { ...same, ...(what === 'profile' ? { profile: 'smoke' } : { experiment }) };
    await expect(resumed(other)).rejects.toThrow(
      /--resume: .* measured something different, so new trials cannot be added/,
    );
    expect(existsSync(resultFile)).toBe(true);
  });

  it('names the seed as a difference only if somebody gave it', async () => {
    const { same, resumed } = await carriedOut(oneFails);
    const protocol = { ...same.experiment.protocol, seed: same.experiment.protocol.seed + 1 };
    const other = { ...same, experiment: { ...same.experiment, protocol, question: 'Another one?' } };
    await expect(resumed(other)).rejects.toThrow('experiment.protocol.seed: ');
    const drawn = await resumed({ ...other, isSeedDrawn: true }).catch(String);
    expect(drawn).toContain('experiment.question: ');
    expect(drawn).not.toContain('seed');
  });

  it('on a driver begins where no run has come to its first trial', async () => {
    const results = temporaryFolder();
    const { execution } = fakeRun();
    expect(await latestRunIfAny(results, wanted(execution), until)).toBeNull();
    await runBelow(results).carryOut({ stages: { load: true, run: false } });
    expect(await latestRunIfAny(results, wanted(execution), until)).toBeNull();
    expect(wereUsedBefore(results)).toBe(false);
  });

  it('on a driver begins anew, with an order of its own, where a later deploy asks for something else', async () => {
    const { results, same } = await carriedOut(oneFails);
    expect(await latestRunIfAny(results, same, until)).not.toBeNull();
    expect(recordToResume(results, same)?.experiment.seed).toBe(same.experiment.protocol.seed);
    const other = { ...same, profile: 'smoke' };
    expect(await latestRunIfAny(results, other, until)).toBeNull();
    expect(recordToResume(results, other)).toBeNull();
    expect(wereUsedBefore(results)).toBe(true);
  });
});
