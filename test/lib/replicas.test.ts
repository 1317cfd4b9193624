import { describe, expect, it } from 'vitest';
import { databaseIdentifier } from '../../lib/identifiers.ts';
import { boundServers, readBinding } from '../../runner/rds/contract/binding.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { serversOf } from '../../runner/contract/server.ts';
import { experimentStack, joined, project, type Synthesized, synthesize } from '../helpers/synthesize.ts';

const servers = ['without-dlv-1', 'without-dlv-2', 'without-dlv-3', 'with-dlv-1', 'with-dlv-2', 'with-dlv-3'];

function withReplicas(replicas: number): (experiment: Experiment) => Experiment {
  return (experiment) => ({ ...experiment, protocol: { ...experiment.protocol, replicas } });
}

function bindingText({ resources }: Synthesized): string {
  return joined(resources('AWS::SSM::Parameter')['Binding']?.Properties['Value']);
}

/** A policy as AWS counts it, with references as long as they get. */
function policyText(properties: Record<string, unknown>): string {
  const resolved = (_: string, value: unknown): unknown => {
    const isFunction = typeof value === 'object' && value !== null && ('Fn::Join' in value || 'Ref' in value);
    return isFunction ? joined(value).replaceAll('${AWS::Region}', 'ap-southeast-5') : value;
  };
  return JSON.stringify(properties['Policies'] ?? properties['PolicyDocument'] ?? {}, resolved).replace(
    /\$\{[^}]*\}/g,
    'x'.repeat(12),
  );
}

describe('three replicas of each variant', () => {
  const stack = experimentStack('dlv-pgbench', { profile: 'replicas' });
  const synthesized = synthesize(stack);
  const { only, resources } = synthesized;
  const instances = Object.values(resources('AWS::RDS::DBInstance')).map(({ Properties }) => Properties);

  it('are six instances, each with a name of its own', () => {
    expect(instances.map((instance) => instance['DBInstanceIdentifier'])).toEqual(
      servers.map((server) => `alice-dlv-pgbench-${server}`),
    );
  });

  it('differ in nothing but their names, and in what the experiment varies', () => {
    const rest = instances.map(({ DBInstanceIdentifier: _, ...properties }) => properties);
    expect(rest[1]).toEqual(rest[0]);
    expect(rest[2]).toEqual(rest[0]);
    expect(rest[4]).toEqual(rest[3]);
    expect({ ...rest[3], DedicatedLogVolume: false }).toEqual(rest[0]);
  });

  it('are all in the zone of the driver', () => {
    const zone = only('AWS::EC2::Instance').Properties['AvailabilityZone'];
    for (const instance of instances) expect(instance['AvailabilityZone']).toEqual(zone);
  });

  it('have a log group each, which is there before its instance', () => {
    const groups = Object.values(resources('AWS::Logs::LogGroup')).map(({ Properties }) => Properties['LogGroupName']);
    expect(groups).toEqual(servers.map((server) => `/aws/rds/instance/alice-dlv-pgbench-${server}/postgresql`));
  });

  it('are told to the runner, as many as there are', () => {
    const bound = boundServers(readBinding(bindingText(synthesized), 'the template'));
    expect([...bound.keys()]).toEqual(servers);
    expect(bound.get('with-dlv-3')).toMatchObject({
      identifier: 'alice-dlv-pgbench-with-dlv-3',
      expected: { dedicatedLogVolume: true },
    });
  });

  it('may be looked at by the driver, each by its name', () => {
    const looked = stack.driverPermissions.filter(({ action }) => action === 'rds:DescribeDBInstances');
    expect(looked.map(({ resource }) => resource.split(':').at(-1))).toEqual(
      servers.map((server) => `alice-dlv-pgbench-${server}`),
    );
  });

  it('stand in one graph of the dashboard, the variants beside each other', () => {
    const { widgets } = JSON.parse(joined(only('AWS::CloudWatch::Dashboard').Properties['DashboardBody'])) as {
      widgets: { properties: { title?: string; metrics?: unknown[] } }[];
    };
    const writes = widgets.filter(({ properties }) => properties.title?.startsWith('WriteIOPS: '));
    expect(writes.map(({ properties }) => properties.metrics?.length)).toEqual([3, 6]);
    expect(JSON.stringify(writes[1])).toContain('"log volume 3"');
  });
});

describe('as many replicas as an experiment may have', () => {
  const most = synthesize(experimentStack('dlv-pgbench', { change: withReplicas(18) }));

  it('fit into what SSM and IAM take', () => {
    // The advanced tier of a parameter holds 8 kB; a role's own policies hold 10,240 characters without white space.
    expect(bindingText(most).length).toBeLessThan(8192);
    const policies = Object.entries({ ...most.resources('AWS::IAM::Role'), ...most.resources('AWS::IAM::Policy') })
      .map(([id, { Properties }]) => ({ isDeletion: id.startsWith('SelfDeletion'), text: policyText(Properties) }))
      .filter(({ text }) => text.includes('with-dlv-18'));
    const [deletion, driver] = [true, false].map((isDeletion) =>
      policies.filter((policy) => policy.isDeletion === isDeletion).map(({ text }) => text),
    );
    // The role's own, and that which is made after the databases.
    expect(driver).toHaveLength(2);
    expect(driver?.join('').length).toBeLessThan(10_240);
    expect(deletion).toHaveLength(1);
    expect(deletion?.join('').length).toBeLessThan(10_240);
    expect(boundServers(readBinding(bindingText(most), 'the template')).size).toBe(36);
  });

  it('have identifiers that RDS takes, with the longest names that there may be', () => {
    const [experiment, variant] = ['e'.repeat(40), 'v'.repeat(40)];
    const names = serversOf([variant, `${variant.slice(1)}w`], 20);
    const identifiers = names.map((server) => databaseIdentifier(experiment, 'alicealiceal', server));
    expect(new Set(identifiers).size).toBe(40);
    // RDS adds "-instance-1" for the members of a cluster.
    for (const identifier of identifiers) expect(`${identifier}-instance-1`.length).toBeLessThanOrEqual(63);
    expect(identifiers[19]).toMatch(/-20$/);
  });
});

it('one replica of each variant is the stack without replicas', () => {
  const plain = synthesize(experimentStack('dlv-pgbench'));
  expect(synthesize(experimentStack('dlv-pgbench', { change: withReplicas(1) })).json).toEqual(plain.json);
});

it('a Multi-AZ cluster has replicas, too', () => {
  const file = `${project}/test/fixtures/experiments/deployments.yaml`;
  const { resources } = synthesize(experimentStack(file, { change: withReplicas(2) }));
  expect(Object.values(resources('AWS::RDS::DBCluster')).map((one) => one.Properties['DBClusterIdentifier'])).toEqual([
    'alice-deployments-multi-cluster-1',
    'alice-deployments-multi-cluster-2',
  ]);
});
