import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { experimentFileJsonSchema } from '../../runner/experiment/file/file-schema.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { ExperimentProblems } from '../../runner/experiment/file/problems.ts';
import { codeBlocks, completeExperiments, documents } from '../helpers/documents.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

function rulesBroken(load: () => unknown): (string | undefined)[] {
  try {
    load();
    return [];
  } catch (error) {
    if (!(error instanceof ExperimentProblems)) throw error;
    return error.problems.map(({ rule }) => rule);
  }
}

const blocks = documents().flatMap(codeBlocks);

describe('YAML of the documentation', () => {
  const { profiles } = experimentFileJsonSchema().properties ?? {};
  const profile = typeof profiles?.additionalProperties === 'object' ? profiles.additionalProperties : {};
  /** Any part of an experiment file: nothing is required. */
  const part = z.fromJSONSchema({ ...profile, properties: { ...profile.properties, profiles } } as never);

  it.each(blocks.filter(({ language }) => language === 'yaml'))(
    'is a part of an experiment file: $place',
    ({ code }) => {
      const { success, error } = part.safeParse(parse(code));
      expect(success ? [] : z.prettifyError(error)).toEqual([]);
    },
  );

  it.each([...completeExperiments(blocks)])(
    'is an experiment in which nothing is wrong, but for files that a reader has: %s',
    (name, { code }) => {
      const folder = temporaryFolder();
      mkdirSync(path.join(folder, 'experiments'));
      writeFileSync(path.join(folder, 'experiments', `${name}.yaml`), code);
      const others = Object.keys((parse(code) as { profiles?: object }).profiles ?? {});
      for (const profile of ['full', ...others]) {
        expect(
          rulesBroken(() => loadExperiment(name, { folder, profile })).filter((rule) => rule !== 'named-file'),
        ).toEqual([]);
      }
    },
  );
});
