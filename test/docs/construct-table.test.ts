import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { replaceConstructTable } from '../../scripts/construct-table.ts';

test('docs/own-repository.md has the properties of the construct (npm run generate)', async () => {
  const text = readFileSync(new URL('../../docs/own-repository.md', import.meta.url), 'utf8');
  expect(text).toContain('| `resultsBucket`');
  expect(await replaceConstructTable(text)).toBe(text);
});
