import { describe, expect, it } from 'vitest';
import { experimentStack, joined, masked, project, synthesize } from '../helpers/synthesize.ts';

const file = `${project}/test/fixtures/experiments/deployments.yaml`;

describe('an experiment with a Multi-AZ instance and a Multi-AZ cluster', () => {
  const stack = experimentStack(file);
  const { only, resources } = synthesize(stack);

  // The rest of the stack is in the snapshot of dlv-pgbench.
  it('has a cluster that looks as it did', () => {
    expect(masked(only('AWS::RDS::DBCluster'))).toMatchSnapshot();
  });

  it('makes the log group of the cluster before the cluster, by its name', () => {
    const cluster = only('AWS::RDS::DBCluster');
    const [logs] = Object.entries(resources('AWS::Logs::LogGroup')).filter(([, { Properties }]) =>
      String(Properties['LogGroupName']).startsWith('/aws/rds/cluster/'),
    );
    expect(cluster.DependsOn).toContain(logs?.[0]);
  });

  it('gives cluster and instances the same parameters, in the group that each kind needs', () => {
    expect(only('AWS::RDS::DBClusterParameterGroup').Properties['Parameters']).toEqual(
      only('AWS::RDS::DBParameterGroup').Properties['Parameters'],
    );
  });

  it('names a zone for the Single-AZ instance only, since RDS refuses it otherwise', () => {
    const zones = Object.values(resources('AWS::RDS::DBInstance')).map(({ Properties }) => [
      Properties['MultiAZ'],
      'AvailabilityZone' in Properties,
    ]);
    expect(zones).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  it('spans three zones', () => {
    const { SubnetIds } = only('AWS::RDS::DBSubnetGroup').Properties as { SubnetIds: unknown[] };
    expect(SubnetIds).toHaveLength(3);
  });

  it('shows the metrics of each instance of the cluster, under the name that RDS gives it', () => {
    const { widgets } = JSON.parse(joined(only('AWS::CloudWatch::Dashboard').Properties['DashboardBody'])) as {
      widgets: { properties: { title?: string; metrics?: unknown[] } }[];
    };
    const shown = widgets.find(({ properties }) => properties.title === 'WriteIOPS: multi-cluster')?.properties.metrics;
    expect(shown).toEqual(
      [1, 2, 3].map((number) => [
        'AWS/RDS',
        'WriteIOPS',
        'DBInstanceIdentifier',
        `alice-deployments-multi-cluster-instance-${number}`,
        { label: `data volume, instance ${number}`, period: 60 },
      ]),
    );
  });

  it('lets the driver bring primaries to its zone, and nothing of that to the Single-AZ instance', () => {
    const rows = stack.driverPermissions.filter(({ step }) => step.startsWith('bringing the primary'));
    expect(rows.map(({ action, resource }) => [action, resource.split(':').slice(-2).join(':')])).toEqual([
      ['rds:RebootDBInstance', 'db:alice-deployments-multi-instance'],
      ['rds:FailoverDBCluster', 'cluster:alice-deployments-multi-cluster'],
      ['rds:FailoverDBCluster', 'db:alice-deployments-multi-cluster-instance-*'],
    ]);
  });
});

describe('choices of an experiment', () => {
  it('keeps snapshots, and no more, when asked to', () => {
    const { resources, json } = synthesize(
      experimentStack(file, { change: (experiment) => ({ ...experiment, removal: { finalSnapshot: true } }) }),
    );
    const databases = { ...resources('AWS::RDS::DBInstance'), ...resources('AWS::RDS::DBCluster') };
    expect(Object.values(databases).map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(Array(3).fill('Snapshot'));
    const others = Object.entries(json.Resources).filter(([id]) => !(id in databases));
    expect(others.filter(([, { DeletionPolicy = 'Delete' }]) => DeletionPolicy !== 'Delete')).toEqual([]);
  });

  it('takes an existing secret, monitoring off, Graviton and no expiry', () => {
    const secretArn = 'arn:aws:secretsmanager:eu-central-1:111111111111:secret:bench-AbCdEf';
    const kmsKeyArn = 'arn:aws:kms:eu-central-1:111111111111:key/0';
    const { resources, only, json } = synthesize(
      experimentStack(file, {
        change: (experiment) => ({
          ...experiment,
          credentials: { kind: 'existing', secretArn, kmsKeyArn },
          monitoring: {
            enhancedMonitoringSeconds: 0,
            databaseInsights: { mode: 'off', reason: 'a test of the smallest set-up' },
            logRetentionDays: 7,
          },
          driver: { class: 'r7g.2xlarge', volumeGib: 20 },
          whenDone: 'keep',
          expiry: { kind: 'never', reason: 'a test of the smallest set-up' },
        }),
      }),
    );
    expect(resources('AWS::SecretsManager::Secret')).toEqual({});
    expect(JSON.stringify(only('AWS::RDS::DBCluster'))).toContain(`{{resolve:secretsmanager:${secretArn}:`);
    expect(JSON.stringify(resources('AWS::IAM::Role'))).toContain('kms:Decrypt');
    expect(JSON.stringify(json)).not.toContain('monitoring.rds.amazonaws.com');
    expect(only('AWS::RDS::DBCluster').Properties).not.toHaveProperty('PerformanceInsightsEnabled');
    expect(JSON.stringify(only('AWS::EC2::LaunchTemplate'))).toContain('arm64');
    expect(resources('AWS::Scheduler::Schedule')).toEqual({});
    expect(joined(resources('AWS::SSM::Parameter')['Binding']?.Properties['Value'])).toContain('"lifetimeHours":null');
  });
});
