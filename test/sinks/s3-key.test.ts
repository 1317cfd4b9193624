import { describe, expect, it } from 'vitest';
import { resultFile } from '../../runner/contract/result.ts';
import { fileNameSchema } from '../../runner/contract/trial.ts';
import { checkedOwner } from '../../runner/rds/deploy/owner.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';
import { sampleResult } from '../helpers/samples/sample-result.ts';

const names = [
  '..',
  '../owned',
  'a/../../owned',
  '/owned',
  'a/b',
  'a\\b',
  'a\0b',
  '.',
  '',
  'a\n',
  ' ',
  '-rf',
  '%2e%2e%2f',
];

describe('a hostile name makes no key outside of its prefix, and no path outside of its folder', () => {
  it.each(names)('as the id of a trial, or the file of a series: %j', async (name) => {
    expect(fileNameSchema.safeParse(name).success).toBe(false);
    const result = await sampleResult({ blocks: 1 });
    const [trial] = result.trials;
    expect(resultFile.schema.safeParse(result).success).toBe(true);
    expect(resultFile.schema.safeParse({ ...result, trials: [{ ...trial, id: name }] }).success).toBe(false);
  });

  it.each(names)('as an owner: %j', (name) => {
    expect(() => checkedOwner(name)).toThrow('cannot be part of identifiers');
  });

  it.each(names)('as the name of an experiment: %j', async (name) => {
    const folder = folderWithExperiment('small', { ...smallExperiment(), name });
    const { exitCode } = await runCommandLine(['plan', 'small'], { workingFolder: folder });
    expect(exitCode).toBe(2);
  });
});
