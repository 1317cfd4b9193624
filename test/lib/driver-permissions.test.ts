import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { experimentStack, joined, project, synthesize } from '../helpers/synthesize.ts';

/** Folders with the AWS calls of the runner on a driver. */
const folders = ['aws', 'bucket', 'collect', 'deployments', 'driver', 'place'].map((room) => `runner/rds/${room}`);

function crossedOver(experiment: Experiment): Experiment {
  return { ...experiment, protocol: { ...experiment.protocol, crossover: { exchanges: 3 } } };
}

function keepingData(experiment: Experiment): Experiment {
  return { ...experiment, data: { keep: true } };
}

/**
 * Actions that an action depends on, for all that the runner does.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html
 */
const dependent: Record<string, string[]> = {
  'rds:CreateDBClusterSnapshot': ['rds:AddTagsToResource'],
  'rds:CreateDBSnapshot': ['rds:AddTagsToResource'],
  'rds:RebootDBCluster': ['rds:RebootDBInstance'],
};
/** What else the driver does besides its runner, and which part of it. */
const byOthers: Record<string, string> = {
  'ssm:GetParameter': 'user data and the update read the binding',
  'ssm:UpdateInstanceInformation': 'the agent of Session Manager',
  'ssmmessages:CreateControlChannel': 'the agent of Session Manager',
  'ssmmessages:CreateDataChannel': 'the agent of Session Manager',
  'ssmmessages:OpenControlChannel': 'the agent of Session Manager',
  'ssmmessages:OpenDataChannel': 'the agent of Session Manager',
};

it('the driver may do what its runner does and what that depends on, and nothing else', () => {
  const called = folders
    .flatMap((folder) =>
      readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(project, folder, file),
      ),
    )
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/callAws\(\s*'([a-z0-9]+:[A-Za-z0-9]+)'/g)])
    .map(([, action = '']) => action)
    // Only the doctor asks these, on the user's machine.
    .filter((action) => !action.startsWith('rds:DescribeEngineDefault'));
  expect(called).toContain('rds:FailoverDBCluster');
  expect(called).toContain('pi:GetResourceMetrics');
  const stacks = [
    experimentStack(`${project}/test/fixtures/experiments/deployments.yaml`),
    experimentStack(`${project}/test/fixtures/experiments/proxy.yaml`),
    experimentStack('dlv-pgbench', { change: (experiment) => keepingData(crossedOver(experiment)) }),
    experimentStack(`${project}/test/fixtures/experiments/deployments.yaml`, {
      change: (experiment) => keepingData({ ...experiment, baseline: 'multi-cluster' }),
    }),
  ];
  const allowed = stacks.flatMap(({ driverPermissions }) => driverPermissions.map(({ action }) => action));
  const needed = [...called, ...called.flatMap((action) => dependent[action] ?? []), ...Object.keys(byOthers)];
  expect([...new Set(allowed)].sort()).toEqual([...new Set(needed)].sort());
});

it('the driver may modify instances only where log volumes change places', () => {
  const modifying = (change?: typeof crossedOver) =>
    experimentStack('dlv-pgbench', { change })
      .driverPermissions.filter(({ action }) => action === 'rds:ModifyDBInstance')
      .map(({ resource }) => resource.split(':').at(-1));
  expect(modifying(crossedOver)).toEqual(['alice-dlv-pgbench-without-dlv', 'alice-dlv-pgbench-with-dlv']);
  expect(modifying()).toEqual([]);
});

it('the driver may make no instance larger that it modifies: class, storage, IOPS and Multi-AZ are as deployed', () => {
  const { resources } = synthesize(experimentStack('dlv-pgbench', { change: crossedOver }));
  const statements = Object.values(resources('AWS::IAM::Role')).flatMap(({ Properties }) =>
    ((Properties['Policies'] ?? []) as { PolicyDocument: { Statement: Record<string, unknown>[] } }[]).flatMap(
      ({ PolicyDocument }) => PolicyDocument.Statement,
    ),
  );
  const modifying = statements.filter(({ Action }) => [Action].flat().includes('rds:ModifyDBInstance'));
  expect(modifying).not.toEqual([]);
  for (const { Condition } of modifying) {
    expect(Condition).toEqual({
      StringEqualsIfExists: { 'rds:DatabaseClass': 'db.r5.16xlarge' },
      BoolIfExists: { 'rds:MultiAz': 'false' },
      NumericLessThanEqualsIfExists: { 'rds:StorageSize': '1024', 'rds:Piops': '10000' },
    });
  }
});

it('the driver may use the key of the bucket of assets where there is one', () => {
  const assetKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const keys = (stack: ReturnType<typeof experimentStack>) =>
    stack.driverPermissions.filter(({ action }) => action === 'kms:Decrypt').map(({ resource }) => resource);
  expect(keys(experimentStack('dlv-pgbench', { assetKeyArn }))).toEqual([assetKeyArn]);
  expect(keys(experimentStack('dlv-pgbench'))).toEqual([]);
});

it('the driver may make a snapshot of one database, under names of this experiment, only where it is asked for', () => {
  const about = (change?: typeof keepingData) =>
    experimentStack('dlv-pgbench', { change })
      .driverPermissions.filter(({ step }) => step === 'keeping a snapshot of the loaded data')
      .map(({ action, resource }) => `${action} ${resource.split(':').slice(-2).join(':')}`);
  expect(about()).toEqual([]);
  expect(about(keepingData)).toEqual([
    'rds:CreateDBSnapshot db:alice-dlv-pgbench-without-dlv',
    'rds:CreateDBSnapshot snapshot:pgduet-dlv-pgbench-alice-*',
    'rds:DescribeDBSnapshots snapshot:pgduet-dlv-pgbench-alice-*',
    'rds:AddTagsToResource snapshot:pgduet-dlv-pgbench-alice-*',
  ]);
});

it('the driver may list what is below the prefix of its stack, and nothing else', () => {
  const { driverPermissions } = experimentStack('dlv-pgbench');
  const list = driverPermissions.find(({ action }) => action === 's3:ListBucket');
  const read = driverPermissions.find(({ action, resource }) => action === 's3:GetObject' && resource.endsWith('/*'));
  const prefix = list?.conditions?.['StringLike'] as Record<string, string> | undefined;
  expect(Object.keys(list?.conditions ?? {})).toEqual(['StringLike']);
  expect(`${list?.resource ?? ''}/${prefix?.['s3:prefix'] ?? ''}`).toBe(read?.resource);
});

it('the driver may report to Session Manager only about instances of its own account and Region', () => {
  const stack = experimentStack('dlv-pgbench');
  const reporting = stack.driverPermissions.filter(({ action }) => action === 'ssm:UpdateInstanceInformation');
  expect(reporting.map(({ resource }) => joined(stack.resolve(resource)))).toEqual([
    'arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:instance/*',
  ]);
});

it('a cluster is rebooted by the permission to reboot its members, too, on which that action depends', () => {
  const { driverPermissions } = experimentStack(`${project}/test/fixtures/experiments/deployments.yaml`);
  const rebooted = driverPermissions.filter(({ action }) => action.startsWith('rds:Reboot'));
  const rebootedClusters = rebooted.filter(({ resource }) => /:cluster:|-instance-\*$/.test(resource));
  expect(
    rebootedClusters.map(({ action, resource }) => `${action} ${resource.split(':').slice(-2).join(':')}`),
  ).toEqual([
    expect.stringMatching(/^rds:RebootDBCluster cluster:/),
    expect.stringMatching(/^rds:RebootDBInstance db:.*-instance-\*$/),
  ]);
});

describe('the driver’s credentials', () => {
  const denied = (network: Experiment['network']) => {
    const { resources } = synthesize(
      experimentStack('dlv-pgbench', { change: (experiment) => ({ ...experiment, network }) }),
    );
    const [vpc] = Object.keys(resources('AWS::EC2::VPC'));
    const found = Object.values(resources('AWS::IAM::Role')).flatMap(({ Properties }) =>
      ((Properties['Policies'] ?? []) as { PolicyDocument: { Statement: { Effect: string }[] } }[])
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement)
        .filter(({ Effect }) => Effect === 'Deny')
        .map((statement) => ({ ...statement, by: JSON.stringify(Properties['AssumeRolePolicyDocument']) })),
    );
    return { vpc, found };
  };

  it('are of no use outside its VPC, where that has an endpoint for all that it calls', () => {
    const { vpc, found } = denied({ mode: 'private' });
    expect(found).toEqual([
      {
        Effect: 'Deny',
        Action: '*',
        Resource: '*',
        Condition: {
          StringNotEquals: { 'aws:SourceVpc': { Ref: vpc } },
          BoolIfExists: { 'aws:ViaAWSService': 'false' },
        },
        by: expect.stringContaining('ec2.amazonaws.com') as string,
      },
    ]);
  });

  it('are of use elsewhere where requests leave the VPC: those have no source', () => {
    expect(denied({ mode: 'public-driver' }).found).toEqual([]);
  });
});

describe('what the driver may ask when the run has ended', () => {
  const asked = (nameOrPath: string, change?: (experiment: Experiment) => Experiment) => {
    const stack = experimentStack(nameOrPath, { change });
    return stack.driverPermissions
      .filter(({ step }) => step === 'asking what AWS recorded about the databases')
      .map(({ action, resource }) => `${action} ${JSON.stringify(stack.resolve(resource))}`);
  };

  it('is about its own instances, and about the members of clusters, whose names nobody knows before', () => {
    const rows = asked('dlv-pgbench');
    expect(rows.map((row) => row.split(' ')[0])).toEqual([
      'cloudwatch:GetMetricData',
      ...['pi:GetResourceMetrics', 'pi:GetResourceMetrics', 'logs:GetLogEvents', 'logs:GetLogEvents'],
    ]);
    for (const row of rows.slice(1)) expect(row).toMatch(/(metrics\/rds\/|RDSOSMetrics:log-stream:).*DbiResourceId/);
    const clusterRows = asked(`${project}/test/fixtures/experiments/deployments.yaml`);
    expect(clusterRows.slice(1)).toEqual([
      expect.stringMatching(/^pi:GetResourceMetrics .*metrics\/rds\/db-\*/),
      expect.stringMatching(/^logs:GetLogEvents .*RDSOSMetrics:log-stream:db-\*/),
    ]);
  });

  it('is about any instance where a policy would not hold the names of all', () => {
    const many = (experiment: Experiment): Experiment => ({
      ...experiment,
      protocol: { ...experiment.protocol, replicas: 5 },
    });
    expect(asked('dlv-pgbench', many).filter((row) => /metrics\/rds\/db-\*|log-stream:db-\*/.test(row))).toHaveLength(
      2,
    );
    expect(asked('dlv-pgbench', many)).toHaveLength(3);
  });

  it('is nothing of a source that is off, or that the experiment leaves out', () => {
    const without =
      (...names: string[]) =>
      (experiment: Experiment) => ({
        ...experiment,
        collect: experiment.collect.filter((name) => !names.includes(name)),
      });
    expect(asked('dlv-pgbench', without('cloudwatch', 'performance-insights', 'enhanced-monitoring'))).toEqual([]);
    const off = (experiment: Experiment): Experiment => ({
      ...experiment,
      monitoring: {
        ...experiment.monitoring,
        enhancedMonitoringSeconds: 0,
        databaseInsights: { mode: 'off', reason: 'not this time' },
      },
    });
    expect(asked('dlv-pgbench', off)).toEqual(['cloudwatch:GetMetricData "*"']);
  });
});

describe('what roles allow', () => {
  const stack = experimentStack('dlv-pgbench');
  const { resources } = synthesize(stack);
  const statements = Object.values({ ...resources('AWS::IAM::Role'), ...resources('AWS::IAM::Policy') }).flatMap(
    ({ Properties }) => {
      const documents = [
        ...((Properties['Policies'] ?? []) as { PolicyDocument: unknown }[]).map(
          ({ PolicyDocument }) => PolicyDocument,
        ),
        ...('PolicyDocument' in Properties ? [Properties['PolicyDocument']] : []),
      ] as { Statement: { Effect: string; Action: string | string[]; Resource: unknown }[] }[];
      return documents.flatMap(({ Statement }) => Statement).filter(({ Effect }) => Effect === 'Allow');
    },
  );

  it('has no wildcard action', () => {
    const actions = statements.flatMap(({ Action }) => Action);
    expect(actions.length).toBeGreaterThan(8);
    expect(actions.filter((action) => action.includes('*'))).toEqual([]);
  });

  it('has a wildcard resource only where the table of permissions says why', () => {
    const explained = stack.driverPermissions
      .filter(({ wildcard }) => wildcard !== undefined)
      .map(({ action }) => action);
    const wild = statements
      .filter(({ Resource }) => JSON.stringify(Resource).includes('*'))
      .flatMap(({ Action }) => Action);
    expect(wild.sort()).toEqual(explained.sort());
  });

  it('holds for every row what the driver does with it, and why', () => {
    for (const { step, why, wildcard, resource } of stack.driverPermissions) {
      expect(step).not.toBe('');
      expect(why).not.toBe('');
      expect(resource.includes('*')).toBe(wildcard !== undefined);
    }
    expect([...new Set(stack.driverPermissions.map(({ action }) => action))].sort()).toEqual([
      'cloudformation:DescribeStacks',
      'cloudwatch:GetMetricData',
      'logs:GetLogEvents',
      'pi:GetResourceMetrics',
      'rds:DescribeDBInstances',
      'rds:DescribeDBLogFiles',
      'rds:DescribeEvents',
      'rds:DownloadDBLogFilePortion',
      'rds:RebootDBInstance',
      's3:GetObject',
      's3:ListBucket',
      's3:PutObject',
      'secretsmanager:GetSecretValue',
      'ssm:GetParameter',
      'ssm:UpdateInstanceInformation',
      'ssmmessages:CreateControlChannel',
      'ssmmessages:CreateDataChannel',
      'ssmmessages:OpenControlChannel',
      'ssmmessages:OpenDataChannel',
    ]);
  });
});
