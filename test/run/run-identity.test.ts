import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { UserError } from '../../runner/contract/errors.ts';
import type { RunRecord } from '../../runner/contract/run-record.ts';
import { hashFiles } from '../../runner/workloads/loaded-with.ts';
import { differencesBetween, identityOf } from '../../runner/run/run-identity.ts';
import { latestRunIfAny, unfinishedRun } from '../../runner/run/unfinished-run.ts';
import { newFolderStore } from '../../runner/storage/results-folder.ts';
import { fakeRun, type FakeRun, type FakeRunOptions, temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { recordSample } from '../helpers/samples/sample-result.ts';
import { sealAgain } from '../helpers/samples/sealed-sample.ts';
import { server } from '../helpers/fakes/fake-connect.ts';

vi.mock('../../runner/postgres/connect.ts', () => import('../helpers/fakes/fake-connect.ts'));
beforeEach(() => server.forget());

const made = fakeRun({ folder: '.' }).execution.driver;
const protocol = { reset: [], repeats: 0 };
const until = new AbortController().signal;

/** A run whose first trial failed, and which is gone on with under other circumstances. */
async function goneOnWith(changes: FakeRunOptions): Promise<{ before: FakeRun; error: unknown }> {
  const before = fakeRun({ protocol, generator: { measure: () => Promise.reject(new Error('it broke')) } });
  await before.carryOut();
  const run = fakeRun({ protocol, ...changes, folder: before.folder });
  const error: unknown = await run.carryOut({ earlier: before.stored() }).catch((caught: unknown) => caught);
  return { before, error };
}

describe('a run that is to go on', () => {
  it('is on the same machine if its disk has another name since a reboot, and not on another kind of disk', () => {
    const { run } = recordSample({});
    const withDisk = (device: string, model: string): RunRecord => ({
      ...run,
      machine: { ...made.machine, fileSystem: { type: 'ext4', disk: { device, model } } },
    });
    const before = identityOf(withDisk('nvme0n1', 'Amazon Elastic Block Store'));
    const differences = (device: string, model: string) =>
      differencesBetween(before, identityOf(withDisk(device, model))).map(({ name }) => name);
    expect(differences('nvme1n1', 'Amazon Elastic Block Store')).toEqual([]);
    expect(differences('nvme0n1', 'Amazon EC2 NVMe Instance Storage')).toEqual(['machine.fileSystem.disk.model']);
  });

  it('has servers of the same code, though the branch that was named has moved', () => {
    const { run } = recordSample({});
    const builtFrom = (commit: string): RunRecord => {
      const server = { from: '../postgres', commit, configure: [], compiler: 'gcc 12' };
      return { ...run, variants: run.variants.map((one) => ({ ...one, built: { server } })) };
    };
    const [before, after] = ['a'.repeat(40), 'b'.repeat(40)].map((commit) => identityOf(builtFrom(commit)));
    expect(differencesBetween(before ?? {}, after ?? {}).map(({ name }) => name)).toEqual(
      run.variants.map(({ name }) => `servers.${name}.built.server.commit`),
    );
  });

  it.each([
    [8_253_595_648, []],
    [8_200_000_000, []],
    [7_900_000_000, ['machine.memoryBytes']],
    [16_507_191_296, ['machine.memoryBytes']],
  ])(
    'may have %i bytes of memory where it had 8253.6 MB: the kernel keeps more or less after a reboot',
    (now, names) => {
      const { run } = recordSample({});
      const [before, after] = [8_253_595_648, now].map((memoryBytes) =>
        identityOf({ ...run, machine: { ...made.machine, memoryBytes } }),
      );
      expect(differencesBetween(before ?? {}, after ?? {}).map(({ name }) => name)).toEqual(names);
    },
  );

  it.each<[what: string, difference: string, FakeRunOptions]>([
    [
      'with another pgbench',
      'tool.version: pgbench (PostgreSQL) 16.15 then, pgbench (PostgreSQL) 17.2 now',
      { driver: { ...made, tool: { ...made.tool, version: 'pgbench (PostgreSQL) 17.2' } } },
    ],
    [
      'on another machine',
      'machine.processors: 2 then, 64 now',
      { driver: { ...made, machine: { ...made.machine, processors: 64 } } },
    ],
    [
      'on other volumes',
      'place: servers that are made up then, servers on IOPS-limited volumes now',
      { place: { description: 'servers on IOPS-limited volumes' } },
    ],
    [
      'with an edited script',
      'files.mix.sql: nothing then, 5891b5b now',
      { driver: { ...made, tool: { ...made.tool, files: { 'mix.sql': '5891b5b' } } } },
    ],
  ])('%s is refused, which is named with both values', async (_, difference, changes) => {
    const { before, error } = await goneOnWith(changes);
    expect(error).toBeInstanceOf(UserError);
    const lines = (error as UserError).message.split('\n');
    expect(lines).toEqual([
      `--resume: ${before.folder} measured something different, so new trials cannot be added to it:`,
      `  ${difference}`,
      'Omit --resume to start a new run.',
    ]);
  });

  it('with servers of another version or build is refused, and nothing of the run is touched', async () => {
    const stored: unknown[] = [];
    const before = fakeRun({ protocol, generator: { measure: () => Promise.reject(new Error('it broke')) } });
    await before.carryOut();
    stored.push(before.stored(), readFileSync(path.join(before.folder, 'result.json'), 'utf8'));
    server.versionOf = (variant) => (variant === 'two' ? '16.16' : '16.15');
    const run = fakeRun({ protocol, folder: before.folder });
    await expect(run.carryOut({ earlier: before.stored() })).rejects.toThrow(
      '  servers.two.version: 16.15 then, 16.16 now\n',
    );
    expect([run.stored(), readFileSync(path.join(before.folder, 'result.json'), 'utf8')]).toEqual(stored);
  });

  it('names every difference at once', async () => {
    const machine = { ...made.machine, name: 'other', memoryBytes: 2 ** 31 };
    const { error } = await goneOnWith({ driver: { ...made, machine }, place: { description: 'elsewhere' } });
    expect((error as UserError).message.match(/^ {2}[\w.]+/gm)).toEqual([
      '  machine.name',
      '  machine.memoryBytes',
      '  place',
    ]);
  });
});

describe('what is known before anything is started', () => {
  const workload = { scripts: [{ file: 'mix.sql' }] };

  /** Results of an unfinished run of this script, and what is wanted now. */
  async function unfinished(script: string) {
    const [results, scriptFolder] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(path.join(scriptFolder, 'mix.sql'), script);
    const { folder } = newFolderStore(results, new Date('2026-11-21T12:00:00Z'));
    const { experiment } = fakeRun({ protocol, workload, folder }).execution;
    const files = hashFiles(['mix.sql'], scriptFolder);
    const run = fakeRun({
      protocol,
      workload,
      folder,
      driver: { tool: { ...made.tool, files } },
      file: path.join(scriptFolder, 'made-up.yaml'),
      onEvent: ({ kind }) => kind === 'trial-ended' && run.interrupt('enough'),
    });
    await run.carryOut();
    return { results, run, scriptFolder, wanted: { experiment, profile: 'full', inputs: run.execution.inputs } };
  }

  it('is the content of the scripts: where one was edited, --resume is refused, and a driver begins anew', async () => {
    const { results, scriptFolder, wanted } = await unfinished('SELECT 1;\n');
    expect((await unfinishedRun(results, wanted, until)).earlier.trials).toHaveLength(1);
    expect(await latestRunIfAny(results, wanted, until)).not.toBeNull();
    writeFileSync(path.join(scriptFolder, 'mix.sql'), 'SELECT 2;\n');
    await expect(unfinishedRun(results, wanted, until)).rejects.toThrow(
      /^ {2}files\.mix\.sql: \w{64} then, \w{64} now$/m,
    );
    expect(await latestRunIfAny(results, wanted, until)).toBeNull();
  });

  it('is the experiment, of which every difference is named', async () => {
    const { results, wanted } = await unfinished('SELECT 1;\n');
    const protocolNow = { ...wanted.experiment.protocol, warmUpSeconds: 7 };
    const experiment = { ...wanted.experiment, protocol: protocolNow };
    await expect(unfinishedRun(results, { ...wanted, experiment }, until)).rejects.toThrow(
      '\n  experiment.protocol.warmUpSeconds: 3 then, 7 now\n',
    );
  });

  it('is the version of pgduet', async () => {
    const { results, run, wanted } = await unfinished('SELECT 1;\n');
    const file = path.join(run.folder, 'run.json');
    const record = JSON.parse(readFileSync(file, 'utf8')) as RunRecord;
    writeFileSync(file, JSON.stringify({ ...record, toolVersion: '0.0.1' }));
    sealAgain(run.folder);
    await expect(unfinishedRun(results, wanted, until)).rejects.toThrow(/^ {2}pgduet: 0\.0\.1 then, /m);
  });
});
