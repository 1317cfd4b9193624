import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { experimentReference } from '../../scripts/experiment-reference.ts';

test('docs/experiment-reference.md is what the schema says (npm run generate)', async () => {
  const text = readFileSync(new URL('../../docs/experiment-reference.md', import.meta.url), 'utf8');
  expect(await experimentReference()).toBe(text);
});
