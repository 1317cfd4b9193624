import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { experimentFileJsonSchema, keysAt, optionsAt } from '../../runner/experiment/file/file-schema.ts';

test('the schema beside the experiments is the one that the code checks by (npm run generate)', () => {
  const file = new URL('../../experiments/experiment.schema.json', import.meta.url);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(experimentFileJsonSchema())));
});

test('knows the keys and the choices at a place', () => {
  expect(keysAt(['variants', 'any', 'storage'])).toContain('logVolumeIops');
  expect(keysAt(['protocol'])).toContain('warmUpSeconds');
  expect(optionsAt(['variants', 'any', 'storage', 'type'])).toEqual(['io1', 'io2', 'gp3', 'local']);
});
