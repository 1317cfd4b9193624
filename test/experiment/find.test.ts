import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findExperiment } from '../../runner/experiment/file/find.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { saveSealedSample } from '../helpers/samples/sealed-sample.ts';
import { project } from '../helpers/synthesize.ts';

let root: string;
const at = (...names: string[]): string => path.join(root, ...names);
const found = (named: string, folder = root): string => findExperiment(named, folder).file;
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(at('experiments/mine'), { recursive: true });
  writeFileSync(at('experiments/mine.yaml'), 'name: mine\n');
  writeFileSync(at('other.yml'), 'name: other\n');
});

describe('an experiment of one’s own', () => {
  it.each(['mine', 'mine.yaml', 'experiments/mine', './experiments/mine.yaml', 'experiments/mine/'])(
    'is found by %s, though a folder has its name',
    (named) => {
      expect(found(named)).toBe(at('experiments/mine.yaml'));
      expect(found(at(named.replace(/^mine/, 'experiments/mine')))).toBe(at('experiments/mine.yaml'));
    },
  );

  it.each(['other', 'other.yml', './other'])('is found by %s where no folder of experiments has it', (named) => {
    expect(found(named)).toBe(at('other.yml'));
  });

  it('is found from within its folder, before one of this name that pgduet brings', () => {
    writeFileSync(at('experiments/quick.yaml'), 'name: quick\n');
    for (const named of ['quick', 'quick.yaml']) {
      expect(found(named, at('experiments'))).toBe(at('experiments/quick.yaml'));
    }
  });
});

it.each(['quick', 'quick.yaml'])('an experiment that pgduet brings is found by %s', (named) => {
  expect(findExperiment(named, root)).toEqual({ file: path.join(project, 'experiments/quick.yaml'), name: 'quick' });
});

describe('the experiment of a run', () => {
  beforeEach(async () => {
    await saveSealedSample(at('results/quick/one'), { blocks: 2 });
    symlinkSync('one', at('results/quick/latest'));
  });

  it.each(['one', 'latest', '', 'one/result.json', 'latest/run.json'])('is found by results/quick/%s', (named) => {
    const { file, run } = findExperiment(path.join('results/quick', named), root);
    expect(file).toBe(at('results/quick/one/inputs/files/quick.yaml'));
    expect(run).toMatchObject({ seed: 1 });
  });

  it.each([
    ['.', 'results/quick/one'],
    ['./', 'results/quick'],
    ['result.json', 'results/quick/one'],
    ['one', 'results/quick'],
  ])('is found by %s in %s', (named, folder) => {
    expect(found(named, at(folder))).toBe(at('results/quick/one/inputs/files/quick.yaml'));
  });

  it('is not found by the name of an experiment, even where a folder of runs has that name', () => {
    cpSync(at('results/quick'), at('quick'), { recursive: true, verbatimSymlinks: true });
    expect(found('quick')).toBe(path.join(project, 'experiments/quick.yaml'));
    expect(found('./quick')).toBe(at('quick/one/inputs/files/quick.yaml'));
  });
});

it.each([
  ['quik', 'Experiment "quik" not found. Did you mean quick?'],
  ['quik.yaml', 'No experiment file at quik.yaml. Did you mean quick?'],
  ['experiments/quik', 'No experiment file at experiments/quik. Did you mean quick?'],
  ['some/where', 'No experiment file at some/where. Specify a path to a YAML file, a name, or the folder of a run'],
  ['.', 'Experiment "." not found'],
])('%s names what there is instead', (named, message) => {
  expect(() => findExperiment(named, root)).toThrow(message);
});
