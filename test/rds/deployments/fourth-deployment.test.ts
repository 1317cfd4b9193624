import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Template } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { boundServers, readBinding } from '../../../runner/rds/contract/binding.ts';
import { launchPolicy } from '../../../runner/rds/deploy/launch-policy/policy.ts';
import { deployable } from '../../../runner/rds/deploy/deployable.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import type { CostEstimate } from '../../../runner/rds/prices/estimate.ts';
import { priceFileText } from '../../../runner/rds/prices/kept-prices.ts';
import { xmlAnswer } from '../../helpers/fakes/fake-aws.ts';
import { runCommandLine } from '../../helpers/fakes/fake-io.ts';
import { fakeRds } from '../../helpers/fakes/fake-rds.ts';
import { examine } from '../../helpers/samples/examined-database.ts';
import { experimentStack, joined } from '../../helpers/synthesize.ts';

// A new deployment needs only these two lines.
vi.mock(import('../../../runner/rds/deployments/every-deployment.ts'), async (original) => {
  const { sharedVolume } = await import('../../helpers/fourth-deployment/definition.ts');
  return { deployments: [...(await original()).deployments, sharedVolume] };
});
vi.mock(import('../../../lib/constructs/every-construct.ts'), async (original) => {
  const { sharedVolumeConstructs } = await import('../../helpers/fourth-deployment/construct.ts');
  return { constructs: { ...(await original()).constructs, 'shared-volume': sharedVolumeConstructs } };
});

let folder: string;
const file = (): string => path.join(folder, 'experiments/fourth.yaml');
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fourth-deployment-'));
  for (const one of ['experiments', 'prices']) mkdirSync(path.join(folder, one));
  define({});
  const origin = { words: 'a test', date: '2026-11-01' };
  const priced = { kind: 'database-instance', class: 'db.r6g.large', deployment: 'shared-volume' } as const;
  const prices = [{ priced, low: 2, high: 2, per: 'hour' as const, origin }];
  writeFileSync(path.join(folder, 'prices/us-east-1.json'), priceFileText('us-east-1', prices));
});
afterAll(() => rmSync(folder, { recursive: true }));

function define(changes: object): void {
  const experiment = {
    name: 'fourth',
    question: 'Does it need no more than a definition and a construct?',
    common: {
      class: 'db.r6g.large',
      storage: { type: 'io2', sizeGib: 200, iops: 3000 },
      engine: { version: '16.15' },
    },
    variants: { single: {}, shared: { deployment: 'shared-volume', ...changes } },
    baseline: 'single',
    workload: { tool: 'pgbench', scale: 1, clients: 2, durationSeconds: 60 },
  };
  writeFileSync(file(), stringify(experiment));
}

const plan = (): ReturnType<typeof runCommandLine> =>
  runCommandLine(['plan', 'fourth', '--json', '--prices', 'kept'], { workingFolder: folder });

test('is planned with its own prices, and refuses what its own rules refuse', async () => {
  const { costs } = JSON.parse((await plan()).stdout) as { costs: CostEstimate };
  const [instance] = costs.lines.filter(({ variant }) => variant === 'shared');
  expect(instance).toMatchObject({ priced: { deployment: 'shared-volume' }, dollarsPerHour: { high: 2 } });
  define({ class: 'db.m6g.large' });
  expect(await plan()).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('family r') as string });
  define({});
});

test('is synthesized by its own construct, and the driver may do what it needs', () => {
  const stack = experimentStack(file());
  const template = Template.fromStack(stack);
  template.hasResourceProperties('AWS::RDS::DBInstance', { DBInstanceIdentifier: 'alice-fourth-shared-writer' });
  const called = stack.driverPermissions.filter(({ resource }) => resource.includes(':alice-fourth-shared'));
  expect(called.map(({ action, resource }) => [action, resource.split(':').slice(-2).join(':')])).toEqual(
    expect.arrayContaining([
      ['rds:DescribeDBClusters', 'cluster:alice-fourth-shared'],
      ['rds:RebootDBInstance', 'db:alice-fourth-shared-writer'],
    ]),
  );
  const { experiment, profile } = loadExperiment(file(), { folder });
  const allowed = launchPolicy(deployable(experiment, profile)).Statement.flatMap(({ Resource }) => Resource);
  expect(allowed.filter((arn) => arn.includes(':cluster:'))).toHaveLength(1);
});

test.each([
  ['as asked', 'db.r6g.large', null],
  ['of another class', 'db.r6g.xlarge', /instance class db\.r6g\.xlarge instead of db\.r6g\.large/],
])('is judged when it is %s', async (_, name, problem) => {
  const { Binding } = Template.fromStack(experimentStack(file())).findResources('AWS::SSM::Parameter');
  const bound = boundServers(
    readBinding(joined((Binding as { Properties: { Value: unknown } }).Properties.Value), 'the template'),
  ).get('shared');
  const { expected } = bound ?? expect.fail('it is not bound');
  const rds = fakeRds(({ action }) =>
    xmlAnswer(action, {
      DBClusters: [
        {
          Status: 'available',
          Endpoint: 'shared.example.com',
          DBClusterInstanceClass: name,
          EngineVersion: expected.engineVersion,
          StorageType: expected.storage.type,
          AllocatedStorage: expected.storage.sizeGib,
          Iops: expected.storage.iops,
          DBClusterParameterGroup: expected.parameterGroup,
          BackupRetentionPeriod: expected.backupRetentionDays,
          MonitoringInterval: expected.monitoringIntervalSeconds,
          PerformanceInsightsEnabled: true,
          DBClusterMembers: [
            { DBInstanceIdentifier: 'writer', IsClusterWriter: true, DBClusterParameterGroupStatus: 'in-sync' },
          ],
        },
      ],
      DBInstances: [{ DBInstanceStatus: 'available', AvailabilityZone: expected.availabilityZone }],
    }),
  );
  const { examined } = examine(rds, { binding: bound });
  if (problem) await expect(examined).rejects.toThrow(problem);
  else expect((await examined).state.database).toMatchObject({ kind: 'shared-volume', class: name });
});
