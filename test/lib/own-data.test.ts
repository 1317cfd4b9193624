import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { writeDocumentedExample } from '../helpers/samples/documented-example.ts';
import { experimentStack, synthesize } from '../helpers/synthesize.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'own-data-stack-'));
const file = path.join(folder, 'experiments/shop.yaml');
const dump = path.join(folder, 'experiments/shop.dump');
beforeAll(() => {
  writeDocumentedExample(folder);
  writeFileSync(dump, 'dump');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('an experiment with data of one’s own', () => {
  it('takes dump and scripts along to the driver, and nothing that it does not load', () => {
    const app = new App({ analyticsReporting: false, outdir: mkdtempSync(path.join(folder, 'cdk-')) });
    experimentStack(file, { app });
    const { directory } = app.synth();
    const assets = readdirSync(directory).filter((name) => name.startsWith('asset.'));
    const files = assets.map((name) => readdirSync(path.join(directory, name)).sort());
    expect(files).toContainEqual(['look.sql', 'order.sql', 'shop.dump', 'shop.yaml']);
  });

  it('begins anew, and needs another stack, where the dump was made anew under the same name', () => {
    const marks = (): (string | undefined)[] => {
      const { json } = synthesize(experimentStack(file));
      const { LoadedWith } = json.Parameters as Record<string, { Default: string }>;
      return [LoadedWith?.Default, /\\"deploy\\":\\"(\w+)/.exec(JSON.stringify(json))?.[1]];
    };
    const before = marks();
    expect(before[0]).toContain('"load":{"dump":"shop.dump"},"sha256":{"shop.dump":"');
    expect(marks()).toEqual(before);
    writeFileSync(dump, 'another');
    const after = marks();
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });
});

describe('a snapshot of one’s own', () => {
  const arn = 'arn:aws:rds:us-east-1:123456789012:snapshot:shop-2026-11-20';
  let stack: ReturnType<typeof synthesize>;
  beforeAll(() => {
    const { profiles, ...shop } = parse(readFileSync(file, 'utf8')) as { profiles: object; workload: object };
    expect(profiles).toBeDefined();
    const load = { snapshot: arn, database: 'shop', user: 'shop_owner', expect: ['SELECT true'] };
    const restored = path.join(folder, 'experiments/restored.yaml');
    writeFileSync(restored, stringify({ ...shop, name: 'restored', workload: { ...shop.workload, load } }));
    stack = synthesize(experimentStack(restored));
  });

  it('is what every variant is restored from, without what comes with it', () => {
    const instances = Object.values(stack.resources('AWS::RDS::DBInstance'));
    expect(instances).toHaveLength(2);
    for (const { Properties } of instances) {
      expect(Properties).toMatchObject({ DBSnapshotIdentifier: arn });
      expect(Properties).not.toHaveProperty('DBName');
      expect(Properties).not.toHaveProperty('MasterUsername');
      expect(JSON.stringify(Properties['MasterUserPassword'])).toContain('resolve:secretsmanager');
    }
  });

  it('gives the driver its database, and the stack’s secret its master user', () => {
    expect(JSON.stringify(stack.only('AWS::SecretsManager::Secret').Properties)).toContain('shop_owner');
    expect(JSON.stringify(stack.resources('AWS::SSM::Parameter'))).toContain(
      '\\\\"database\\\\":{\\\\"name\\\\":\\\\"shop\\\\"'.replaceAll('\\\\', '\\'),
    );
  });
});
