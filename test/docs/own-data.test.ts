import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { codeBlocks, completeExperiments, documents } from '../helpers/documents.ts';
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

test('the experiment that init writes is shown as it is, with its transaction', async () => {
  await runCommandLine(['init', 'mine', '--from', 'own-data'], { workingFolder: folder });
  const written = (name: string): string => readFileSync(path.join(folder, 'experiments', name), 'utf8');
  const shown = documents()
    .filter(({ file }) => file === 'docs/your-own-experiment.md')
    .flatMap(codeBlocks);
  const mine = completeExperiments(shown).get('mine')?.code;
  expect(mine?.split('\n').slice(1)).toEqual(written('mine.yaml').split('\n').slice(4));
  const [sql = ''] = shown.flatMap(({ language, code }) =>
    language === 'sql' && code.includes('parcel') ? [code] : [],
  );
  expect(sql).not.toBe('');
  expect(written('mine/transaction.sql').endsWith(sql)).toBe(true);
});

test('the documented snapshot of one’s own takes the place of its dump', () => {
  writeDocumentedExample(folder);
  const text = readFileSync(new URL('../../docs/workloads.md', import.meta.url), 'utf8');
  const [, block = ''] = /```yaml\n(workload:\n {2}tool: own-data\n {2}load:\n {4}snapshot:[^`]*)```/.exec(text) ?? [];
  const { workload } = parse(block) as { workload: object };
  const { profiles, ...shop } = parse(documentedExample()['shop.yaml'] ?? '') as { profiles: object; workload: object };
  expect(profiles).toHaveProperty('local');
  writeFileSync(
    path.join(folder, 'experiments/shop.yaml'),
    stringify({ ...shop, workload: { ...shop.workload, ...workload } }),
  );
  expect(loadExperiment('shop', { folder }).experiment.workload['load']).toMatchObject({
    snapshot: 'arn:aws:rds:us-east-1:123456789012:snapshot:shop-2026-11-20',
    user: 'shop_owner',
    database: 'shop',
    sizeGib: 400,
    expect: ['SELECT count(*) > 1000000 FROM customer'],
  });
});
