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

const oneFails: FakeRunOptions = {
  generator: {
    measure: ({ server }) =>
      server === 'one' ? Promise.reject(new Error('it broke')) : Promise.resolve({ measures: { tps: 1 }, facts: {} }),
  },
};

describe('--resume', () => {
  it('finds what the latest run left, whose result stays until trials are measured again', async () => {
    const results = temporaryFolder();
    await runBelow(results).carryOut();
    const run = runBelow(results, {
      onEvent: ({ kind }) => kind === 'trial-ended' && run.interrupt('enough'),
    });
    await run.carryOut();
    const result = path.join(run.folder, 'result.json');
    expect(existsSync(result)).toBe(true);
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
    const results = temporaryFolder();
    const run = runBelow(results, {
      onEvent: ({ kind }) => kind === 'trial-ended' && run.interrupt('enough'),
    });
    await run.carryOut();
    const [id] = trialsIn(readSums(run.folder));
    const file = path.join(run.folder, 'trials', id ?? '', 'pgbench.stdout.log');
    writeFileSync(file, 'tps = 2\n');
    sealAgain(run.folder);
    writeFileSync(file, 'tps = 1\n');
    const wrong = `--resume: ${file} was changed: this contradicts SHA256SUMS`;
    await expect(unfinishedRun(results, wanted(run.execution), until)).rejects.toThrow(wrong);
  });

  it('loads again into logs that the manifest does not hold against the run', async () => {
    const results = temporaryFolder();
    const run = runBelow(results, {
      onEvent: ({ kind }) => kind === 'trial-ended' && run.interrupt('enough'),
    });
    const log = path.join(run.folder, 'load-one.log');
    writeFileSync(log, 'loaded\n');
    await run.carryOut();
    expect(readSums(run.folder)?.has('load-one.log')).toBe(true);
    const { earlier } = await unfinishedRun(results, wanted(run.execution), until);
    writeFileSync(log, 'loaded anew\n');
    await fakeRun({ protocol: { reset: [], repeats: 0 }, folder: run.folder }).carryOut({ earlier });
    expect((await verifyFolder(run.folder, until)).files).toMatchObject({ changed: [], missing: [] });
  });

  it('says of a run that was killed after its last trial that only the result is missing', async () => {
    const results = temporaryFolder();
    const run = runBelow(results);
    await run.carryOut();
    rmSync(path.join(run.folder, 'result.json'));
    expect(await unfinishedRun(results, wanted(run.execution), until)).toMatchObject({ measured: true });
  });

  it('is refused where a run was killed before it left a record, as where there is none', async () => {
    const results = temporaryFolder();
    const { execution } = fakeRun();
    newFolderStore(results, new Date());
    await expect(unfinishedRun(results, wanted(execution), until)).rejects.toThrow('there is no run to continue');
  });

  it('finds a run that was killed before it could make a result', async () => {
    const results = temporaryFolder();
    const run = runBelow(results, oneFails);
    await run.carryOut();
    rmSync(path.join(run.folder, 'result.json'));
    expect((await unfinishedRun(results, wanted(run.execution), until)).earlier.trials).toHaveLength(2);
  });

  it('is refused where every trial was measured', async () => {
    const results = temporaryFolder();
    const run = runBelow(results);
    await run.carryOut();
    await expect(unfinishedRun(results, wanted(run.execution), until)).rejects.toThrow(
      `--resume: ${results}/latest is complete. Leave --resume out to begin a new run.`,
    );
    expect(existsSync(path.join(run.folder, 'result.json'))).toBe(true);
  });

  it.each([
    { of: 'one variant', blocks: 1, repeats: 0, generator: oneFails.generator, lost: ['block-01-1-one: one'] },
    {
      // With repeats, a run ends after a first block of which nothing counts.
      of: 'both variants, after which it ended',
      blocks: 3,
      repeats: 1,
      generator: { measure: () => Promise.reject(new Error('it broke')) },
      lost: ['block-01-1-one: one', 'block-01-2-two: two'],
    },
  ])('is refused where nothing is left but losses of $of', async ({ blocks, repeats, generator, lost }) => {
    const results = temporaryFolder();
    const run = runBelow(results, { protocol: { blocks, repeats }, ...(generator && { generator }) });
    await run.carryOut();
    const begun = unfinishedRun(results, wanted(run.execution), until);
    await expect(begun).rejects.toThrow(UserError);
    await expect(begun).rejects.toThrow(
      [
        `--resume: ${results}/latest has nothing left to measure. Its servers lost trials:`,
        ...lost.map((whose) => `  ${whose} failed in measure: it broke`),
        'pgduet does not measure lost trials again: that would select by the outcome. Remove the cause, and leave --resume out to begin a new run.',
      ].join('\n'),
    );
    expect(existsSync(path.join(run.folder, 'result.json'))).toBe(true);
  });

  it('is refused, with the reason, where the run ended by itself beside a neighbour and no server lost a trial', async () => {
    const results = temporaryFolder();
    const disturbed = { measures: { tps: 100, 'driver.others': 0.6 }, facts: {} };
    const measure = () => Promise.resolve(disturbed);
    const run = runBelow(results, {
      protocol: { blocks: 5, repeats: 0, quietMachine: 'required' },
      generator: { measure },
    });
    await run.carryOut();
    await expect(unfinishedRun(results, wanted(run.execution), until)).rejects.toThrow(
      /^--resume: .*latest ended by itself\. Stopped after block 2: the same cause.* Leave --resume out to begin a new run\.$/s,
    );
  });

  it('only makes the result of a run that was killed after it had lost its last trial', async () => {
    const results = temporaryFolder();
    const run = runBelow(results, oneFails);
    await run.carryOut();
    rmSync(path.join(run.folder, 'result.json'));
    expect(await unfinishedRun(results, wanted(run.execution), until)).toMatchObject({ measured: true });
  });

  it('is refused where the run was precise enough before all of its blocks', async () => {
    const results = temporaryFolder();
    const run = runBelow(results, { protocol: { blocks: 30, until: 'precision' } });
    expect(await run.carryOut()).toMatchObject({ complete: true, stoppedAfterBlock: 8 });
    await expect(unfinishedRun(results, wanted(run.execution), until)).rejects.toThrow('is complete');
  });

  it.each([
    { what: 'experiment', question: 'Another one?' },
    { what: 'profile', profile: 'smoke' },
  ])('is refused where another $what was measured: its trials would be taken for those of this one', async (other) => {
    const results = temporaryFolder();
    const run = runBelow(results, oneFails);
    await run.carryOut();
    const { experiment, profile, inputs } = wanted(run.execution);
    const changed = {
      inputs,
      profile: other.profile ?? profile,
      experiment: { ...experiment, question: other.question ?? experiment.question },
    };
    await expect(unfinishedRun(results, changed, until)).rejects.toThrow(/--resume: .* measured something else/);
    expect(existsSync(path.join(run.folder, 'result.json'))).toBe(true);
  });

  it('names the seed as a difference only if somebody gave it', async () => {
    const results = temporaryFolder();
    const run = runBelow(results, oneFails);
    await run.carryOut();
    const { experiment, ...rest } = wanted(run.execution);
    const protocol = { ...experiment.protocol, seed: experiment.protocol.seed + 1 };
    const other = { ...rest, experiment: { ...experiment, protocol, question: 'Another one?' } };
    await expect(unfinishedRun(results, other, until)).rejects.toThrow('experiment.protocol.seed: ');
    const drawn = await unfinishedRun(results, { ...other, isSeedDrawn: true }, until).catch(String);
    expect(drawn).toContain('experiment.question: ');
    expect(drawn).not.toContain('seed');
  });

  it('is refused where there is no run', async () => {
    const { execution } = fakeRun();
    await expect(unfinishedRun(temporaryFolder(), wanted(execution), until)).rejects.toThrow(UserError);
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
    const results = temporaryFolder();
    const run = runBelow(results, oneFails);
    await run.carryOut();
    const same = wanted(run.execution);
    expect(await latestRunIfAny(results, same, until)).not.toBeNull();
    expect(recordToResume(results, same)?.experiment.seed).toBe(same.experiment.protocol.seed);
    const other = { ...same, profile: 'smoke' };
    expect(await latestRunIfAny(results, other, until)).toBeNull();
    expect(recordToResume(results, other)).toBeNull();
    expect(wereUsedBefore(results)).toBe(true);
  });
});
