import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { replaceMetricsTable } from '../../scripts/metrics-table.ts';

test('docs/results.md has the table of metrics that the catalogue gives (npm run generate)', async () => {
  const text = readFileSync(new URL('../../docs/results.md', import.meta.url), 'utf8');
  expect(await replaceMetricsTable(text)).toBe(text);
});
