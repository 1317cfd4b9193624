import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { experimentFileJsonSchema } from '../../runner/experiment/file/file-schema.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { codeBlocks, completeExperiments, documents } from '../helpers/documents.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';

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

  // Those that need files are in own-data.test.ts.
  it.each([...completeExperiments(blocks)].filter(([name]) => !['shop', 'mine'].includes(name)))(
    'is an experiment that loads: %s',
    (name, { code }) => {
      const folder = temporaryFolder();
      mkdirSync(path.join(folder, 'experiments'));
      writeFileSync(path.join(folder, 'experiments', `${name}.yaml`), code);
      const { profiles: own } = loadExperiment(name, { folder });
      expect(() => own.map((one) => loadExperiment(name, { folder, profile: one }))).not.toThrow();
    },
  );
});
