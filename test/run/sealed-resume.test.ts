import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import { readSums } from '../../runner/files/sums.ts';
import { latestRunIfAny, unfinishedRun } from '../../runner/run/unfinished-run.ts';
import { newFolderStore } from '../../runner/storage/results-folder.ts';
import { server } from '../helpers/fakes/fake-connect.ts';
import { unseal } from '../helpers/samples/sealed-sample.ts';
import { fakeCollector, fakeRun, type FakeRun, temporaryFolder } from '../helpers/fakes/fake-run.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const protocol = { reset: [], repeats: 0, blocks: 2 };
const collectors = [
  fakeCollector('made-up', {
    start: () => Promise.resolve({ stop: () => Promise.resolve({ series: [{ second: 0, name: 'tps', value: 100 }] }) }),
  }),
];
const trial = 'trials/block-01-1-one';
let results: string;
let run: FakeRun;

/** A run that was cut off after its first trial. */
beforeEach(async () => {
  results = temporaryFolder();
  const { folder } = newFolderStore(results, new Date('2026-11-21T12:00:00Z'));
  run = fakeRun({
    protocol,
    collectors,
    folder,
    onEvent: ({ kind }) => kind === 'trial-ended' && run.interrupt('now'),
  });
  await run.carryOut();
  rmSync(at('result.json'));
});

const until = new AbortController().signal;
const at = (name: string): string => path.join(run.folder, name);
const wanted = () => ({
  experiment: run.execution.experiment,
  profile: run.execution.plan.profile,
  inputs: run.execution.inputs,
});

async function refusal(): Promise<string> {
  const begun = unfinishedRun(results, wanted(), until);
  await expect(begun).rejects.toThrow(UserError);
  // A driver goes on by itself, and must not either.
  await expect(latestRunIfAny(results, wanted(), until)).rejects.toThrow(UserError);
  return begun.then(
    () => '',
    (error: unknown) => (error as UserError).message,
  );
}

describe('--resume', () => {
  it('goes on with a run whose trial under way was cut off, and whose files nobody has changed', async () => {
    rmSync(at('trials/block-01-2-two'), { recursive: true, force: true });
    await run.store.noteTrial({
      ...(JSON.parse(readFileSync(at(`${trial}/trial.json`), 'utf8')) as Parameters<typeof run.store.noteTrial>[0]),
      id: 'block-01-2-two',
      position: 2,
      state: 'interrupted',
      measures: {},
      series: [],
      conditions: { variant: 'two' },
      failure: { stage: 'measure', error: 'it was cut off' },
    });
    const { earlier } = await unfinishedRun(results, wanted(), until);
    const again = fakeRun({ protocol, collectors, folder: run.folder });
    const result = await again.carryOut({ earlier });
    expect(result?.trials.filter(({ state }) => state === 'finished').length).toBeGreaterThanOrEqual(4);
    const named = [...(readSums(run.folder)?.keys() ?? [])];
    expect(named).toEqual(expect.arrayContaining(['result.json', 'steps.jsonl', 'run.json', `${trial}/trial.json`]));
    expect(named).toContain('inputs/files/made-up.yaml');
  });

  it('is refused where the throughput of a finished trial was edited', async () => {
    const file = at(`${trial}/trial.json`);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"tps": 100', '"tps": 99999'));
    expect(await refusal()).toBe(
      `--resume: ${file} was changed: this contradicts SHA256SUMS. Restore the original. pgduet cannot resume this run. Omit --resume to start a new run.`,
    );
  });

  it('is refused where the series of a finished trial were edited, before anything is measured', async () => {
    const file = at(`${trial}/series.parquet`);
    expect(existsSync(file)).toBe(true);
    writeFileSync(file, readFileSync(file).fill(0, 20, 24));
    expect(await refusal()).toContain(`${file} was changed: this contradicts SHA256SUMS`);
  });

  it('is refused where the record of the run was edited and lost its line in the manifest', async () => {
    writeFileSync(at('run.json'), `${readFileSync(at('run.json'), 'utf8')} `);
    unseal(run.folder, 'run.json');
    expect(await refusal()).toContain(`${at('run.json')} was added, or its line was removed from SHA256SUMS`);
  });

  it('goes on without steps that were edited and lost their line in the manifest', async () => {
    writeFileSync(at('steps.jsonl'), readFileSync(at('steps.jsonl'), 'utf8').replaceAll('"create"', '"settle"'));
    unseal(run.folder, 'steps.jsonl');
    const { earlier } = await unfinishedRun(results, wanted(), until);
    expect(earlier.steps).toEqual([]);
    await fakeRun({ protocol, collectors, folder: run.folder }).carryOut({ earlier });
    expect(readFileSync(at('steps.jsonl'), 'utf8')).not.toContain('"settle"');
    expect(readSums(run.folder)?.has('steps.jsonl')).toBe(true);
  });

  it('is refused where the manifest was deleted', async () => {
    rmSync(at('SHA256SUMS'));
    expect(await refusal()).toMatch(/latest has no SHA256SUMS\. Without it, .* Omit --resume to start a new run\./);
  });

  it('does not count a finished trial that was put there', async () => {
    const file = at(`${trial}/trial.json`);
    const text = readFileSync(file, 'utf8').replace('"tps": 100', '"tps": 99999');
    rmSync(at('trials/block-01-2-two'), { recursive: true, force: true });
    writeFileSync(
      path.join(run.store.trialFolder('block-01-2-two'), 'trial.json'),
      text.replace('"id": "block-01-1-one"', '"id": "block-01-2-two"').replace('"variant": "one"', '"variant": "two"'),
    );
    const { earlier } = await unfinishedRun(results, wanted(), until);
    expect(earlier.trials.filter(({ state }) => state === 'finished').map(({ id }) => id)).toEqual(['block-01-1-one']);
  });
});
