import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { documentedExample, writeDocumentedExample } from '../helpers/samples/documented-example.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'own-data-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the documented experiment with data of one’s own is complete, and right in each of its profiles', () => {
  expect(Object.keys(documentedExample()).sort()).toEqual(['look.sql', 'order.sql', 'schema.sql', 'shop.yaml']);
  writeDocumentedExample(folder);
  writeFileSync(path.join(folder, 'experiments/shop.dump'), 'of the reader');
  const full = loadExperiment('shop', { folder }).experiment;
  expect(full.workload['load']).toMatchObject({ dump: 'shop.dump', sizeGib: 40 });
  const local = loadExperiment('shop', { folder, profile: 'local' }).experiment;
  expect(local.workload['load']).toMatchObject({ sql: ['schema.sql'] });
  expect(local.workload['load']).not.toHaveProperty('dump');
  expect(local.protocol.reset).toEqual(['restore', 'checkpoint']);
});
