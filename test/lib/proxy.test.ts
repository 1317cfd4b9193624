import { describe, expect, it } from 'vitest';
import { experimentStack, joined, masked, project, type Resource, synthesize } from '../helpers/synthesize.ts';

const file = `${project}/test/fixtures/experiments/proxy.yaml`;
const key = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';

/** The policy of the role by which proxies read the password. */
function passwordStatements(roles: Record<string, Resource>): unknown[] {
  const [role] = Object.entries(roles).filter(([id]) => id.startsWith('DatabasesProxies'));
  const [policy] = role?.[1].Properties['Policies'] as { PolicyDocument: { Statement: unknown[] } }[];
  return policy?.PolicyDocument.Statement ?? [];
}

describe('a variant behind RDS Proxy', () => {
  const stack = experimentStack(file);
  const { json, resources } = synthesize(stack);
  const ids = (type: string): string[] => Object.keys(resources(type));

  it('has a proxy and its targets that look as they did', () => {
    expect(
      masked({ ...resources('AWS::RDS::DBProxy'), ...resources('AWS::RDS::DBProxyTargetGroup') }),
    ).toMatchSnapshot();
  });

  it('has the proxy under the name of its database, and others have none', () => {
    const names = Object.values(resources('AWS::RDS::DBProxy')).map(({ Properties }) => Properties['DBProxyName']);
    expect(names).toEqual(['alice-proxy-proxy', 'alice-proxy-multi-az']);
    expect(Object.values(resources('AWS::RDS::DBInstance'))).toHaveLength(3);
  });

  it('lets PostgreSQL through from driver to proxy to database, and nothing else to or from a proxy', () => {
    const name = (value: unknown): string =>
      /(DriverSecurityGroup|DatabaseSecurityGroup|ProxiesSecurityGroup)/.exec(JSON.stringify(value))?.[1] ?? 'other';
    const rules = [
      ...Object.values(resources('AWS::EC2::SecurityGroupIngress')).map(({ Properties: rule }) => ({
        way: `${name(rule['SourceSecurityGroupId'])} into ${name(rule['GroupId'])}`,
        rule,
      })),
      ...Object.values(resources('AWS::EC2::SecurityGroupEgress')).map(({ Properties: rule }) => ({
        way: `${name(rule['GroupId'])} out to ${name(rule['DestinationSecurityGroupId'])}`,
        rule,
      })),
    ].filter(({ way }) => way.includes('Proxies'));
    expect(rules.map(({ way }) => way).sort()).toEqual([
      'DriverSecurityGroup into ProxiesSecurityGroup',
      'DriverSecurityGroup out to ProxiesSecurityGroup',
      'ProxiesSecurityGroup into DatabaseSecurityGroup',
      'ProxiesSecurityGroup out to DatabaseSecurityGroup',
    ]);
    expect(rules.map(({ rule }) => [rule['IpProtocol'], rule['FromPort'], rule['ToPort']])).toEqual(
      Array(4).fill(['tcp', 5432, 5432]),
    );
    const inline = Object.entries(resources('AWS::EC2::SecurityGroup')).filter(([id]) => id.includes('Proxies'));
    expect(inline.map(([, { Properties }]) => Properties['SecurityGroupIngress'])).toEqual([undefined]);
  });

  it('lets its proxy read the secret of this stack, and nothing else', () => {
    const [secret] = ids('AWS::SecretsManager::Secret');
    expect(passwordStatements(resources('AWS::IAM::Role'))).toEqual([
      { Effect: 'Allow', Action: 'secretsmanager:GetSecretValue', Resource: { Ref: secret } },
    ]);
  });

  it('costs nothing before the driver is ready, and is made before the driver is told so', () => {
    const [provisioned] = ids('AWS::CloudFormation::WaitCondition').filter((id) => id.startsWith('DriverProvisioned'));
    for (const { DependsOn } of Object.values(resources('AWS::RDS::DBProxy'))) expect(DependsOn).toContain(provisioned);
    const [made] = Object.entries(json.Resources).filter(([id]) => id.startsWith('DatabasesMade'));
    expect(made?.[1].DependsOn).toEqual(expect.arrayContaining(ids('AWS::RDS::DBProxyTargetGroup')));
  });

  it('tells the driver what to expect, and lets it describe these proxies alone', () => {
    const binding = JSON.parse(joined(resources('AWS::SSM::Parameter')['Binding']?.Properties['Value'])) as {
      variants: Record<string, { expected: { pooler?: unknown } }>;
    };
    expect(Object.values(binding.variants).map(({ expected }) => expected.pooler)).toEqual([
      undefined,
      { maxConnectionsPercent: 50 },
      { maxConnectionsPercent: 100 },
    ]);
    const rows = stack.driverPermissions.filter(({ action }) => action.startsWith('rds:DescribeDBProx'));
    expect(rows.map(({ action }) => action)).toHaveLength(8);
    expect(rows.every(({ resource, wildcard }) => wildcard === undefined && !resource.includes('*'))).toBe(true);
  });
});

it('a proxy uses the key of the secret for Secrets Manager alone', () => {
  const { resources } = synthesize(experimentStack(file, { profile: 'closed' }));
  expect(passwordStatements(resources('AWS::IAM::Role'))[1]).toEqual({
    Effect: 'Allow',
    Action: 'kms:Decrypt',
    Resource: key,
    Condition: {
      StringEquals: {
        'kms:ViaService': { 'Fn::Join': ['', ['secretsmanager.', { Ref: 'AWS::Region' }, '.amazonaws.com']] },
      },
    },
  });
});

it('of many proxies, the driver’s policy names none, since it has no room for all', () => {
  const stack = experimentStack(file, {
    change: (experiment) => ({ ...experiment, protocol: { ...experiment.protocol, replicas: 5 } }),
  });
  const rows = stack.driverPermissions.filter(({ action }) => action.startsWith('rds:DescribeDBProx'));
  expect(rows.map(({ wildcard }) => wildcard !== undefined)).toEqual(Array(4).fill(true));
});
