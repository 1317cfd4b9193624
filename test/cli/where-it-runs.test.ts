import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { stringify } from 'yaml';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { CheckOutcome } from '../../runner/probes/probe.ts';
import type { Plan } from '../../runner/contract/plan.ts';
import { type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';
import { sealAgain } from '../helpers/samples/sealed-sample.ts';

vi.mock(import('../../runner/probes/check-machine.ts'), () => ({
  checkMachine: ({ experiment }, report) => {
    const detail = experiment?.question ?? 'any experiment';
    const passed: CheckOutcome = {
      id: 'node',
      name: 'this machine',
      state: 'pass',
      problems: [],
      notes: [],
      detail,
      remedy: null,
    };
    report(passed);
    return Promise.resolve([passed]);
  },
}));

const here = { storage: { type: 'local' } };
const question = (of: string): { question: string } => ({ question: `What about ${of}?` });
const protocol = { blocks: 6, seed: 1 };

/** For RDS, with a profile for this machine. */
const forBoth = {
  ...smallExperiment(),
  ...question('RDS'),
  profiles: { local: { common: here, ...question('here') } },
};
/** For this machine only. */
const onlyHere = {
  ...smallExperiment(),
  ...question('the file'),
  common: here,
  protocol,
  profiles: { local: question('here'), smoke: question('smoke') },
};

async function run(content: object, ...words: string[]): Promise<Printed> {
  const workingFolder = folderWithExperiment('small', content);
  return runCommandLine(words, { workingFolder, columns: Infinity, errorColumns: Infinity });
}

async function asked(content: object, ...words: string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await run(content, ...words, '--json');
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  return (JSON.parse(stdout) as Plan).question;
}

const dryRun = ['load-run', 'small', '--dry-run'];
const plan = ['plan', 'small'];

describe('an experiment that can run nowhere else', () => {
  it.each([
    ['a plan', plan],
    ['a run', dryRun],
  ])('is that of this machine without --local: %s', async (_, words) => {
    expect(await asked(onlyHere, ...words)).toBe('What about here?');
    expect(await asked(onlyHere, ...words, '--local')).toBe('What about here?');
    expect(await asked(onlyHere, ...words, '-p', 'smoke')).toBe('What about smoke?');
    expect(await asked({ ...onlyHere, profiles: {} }, ...words)).toBe('What about the file?');
  });

  it('is one by the profile that is named', async () => {
    expect(await asked(forBoth, ...dryRun, '-p', 'local')).toBe('What about here?');
  });

  it('has the same plan, whoever shows it', async () => {
    const [planned, shownByRun] = [await run(onlyHere, ...plan), await run(onlyHere, ...dryRun)];
    expect(planned.stdout).toBe(shownByRun.stdout);
    expect(planned.stdout).toContain('What about here?');
  });

  it.each(['--owner', '--region'])('does not understand %s', async (option) => {
    for (const words of [dryRun, ['doctor', 'small']]) {
      const { stderr, exitCode } = await run(onlyHere, ...words, option, 'x');
      expect(exitCode).toBe(2);
      expect(stderr).toBe(
        `pgduet: ${option} needs a deployed experiment. Name one, or a deployed profile, or omit the option.\n`,
      );
    }
  });
});

describe('an experiment that can run here and in RDS', () => {
  it('is planned for RDS, and with --local for this machine', async () => {
    expect(await asked(forBoth, ...plan)).toBe('What about RDS?');
    expect(await asked(forBoth, ...plan, '--local')).toBe('What about here?');
    expect(await asked(forBoth, ...dryRun, '--local')).toBe('What about here?');
  });

  it('is checked by doctor where it would run, with the profile that would run', async () => {
    expect((await run(forBoth, 'doctor', 'small', '--local')).stdout).toBe('ok   this machine: What about here?\n');
    expect((await run(onlyHere, 'doctor', 'small')).stdout).toBe('ok   this machine: What about here?\n');
    const { stderr, exitCode } = await run(forBoth, 'doctor', 'small', '--local', '--region', 'eu-west-1');
    expect(stderr).toContain("option '--region <name>' cannot be used with option '--local'");
    expect(exitCode).toBe(2);
  });

  it('is refused with --local where it has nothing for this machine', async () => {
    for (const words of [plan, dryRun, ['doctor', 'small']]) {
      const { stderr, stdout, exitCode } = await run(smallExperiment(), ...words, '--local');
      expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
      expect(stderr).toContain('variants.a.storage.type: "io2" is not available on this machine. Use a profile whose');
    }
  });
});

describe('a plan on a machine that cannot limit volumes', () => {
  afterEach(() => vi.restoreAllMocks());

  it.runIf(process.platform === 'linux')('shows the question that a run asks', async () => {
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    const folders = { ...onlyHere, profiles: { local: question('here'), folders: question('folders') } };
    const [planned, shownByRun] = [await run(folders, ...plan), await run(folders, ...dryRun)];
    expect(planned).toEqual(shownByRun);
    expect(planned.stdout).toContain('What about folders?');
    expect(planned.stderr).toMatch(/^small runs with profile folders/);
    expect(await asked(folders, ...plan, '-p', 'local')).toBe('What about here?');
  });
});

it('a run is repeated here without --local, by the folder of its experiment’s results', async () => {
  const workingFolder = folderWithExperiment('small', onlyHere);
  const folder = path.join(workingFolder, 'results/small/one');
  await saveSample(folder, { blocks: 6 }, ({ run: record }) => {
    Object.assign(record.experiment, { file: 'inputs/files/small.yaml', profile: 'smoke', seed: 4711 });
  });
  mkdirSync(path.join(folder, 'inputs/files'), { recursive: true });
  writeFileSync(path.join(folder, 'inputs/files/small.yaml'), stringify(onlyHere));
  sealAgain(folder);
  symlinkSync('one', path.join(workingFolder, 'results/small/latest'));
  for (const words of [
    ['plan', 'results/small'],
    ['load-run', 'results/small/one/result.json', '--dry-run'],
  ]) {
    const { stdout, stderr, exitCode } = await runCommandLine([...words, '--json'], { workingFolder });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ question: 'What about smoke?', profile: 'smoke', seed: 4711 });
  }
});
