import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { calledServices } from '../../runner/rds/deploy/aws-sources.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { experimentStack, project, synthesize } from '../helpers/synthesize.ts';

function withNetwork(network: Experiment['network']) {
  return synthesize(experimentStack('dlv-pgbench', { change: (experiment) => ({ ...experiment, network }) }));
}

describe('a named zone', () => {
  it('comes on top of those that the databases need, since it may be one of them', () => {
    const { only, resources } = withNetwork({ mode: 'public-driver', availabilityZone: 'us-east-1b' });
    expect(only('AWS::EC2::Instance').Properties['AvailabilityZone']).toBe('us-east-1b');
    for (const { Properties } of Object.values(resources('AWS::RDS::DBInstance'))) {
      expect(Properties['AvailabilityZone']).toBe('us-east-1b');
    }
    const { SubnetIds } = only('AWS::RDS::DBSubnetGroup').Properties as { SubnetIds: unknown[] };
    expect(SubnetIds).toHaveLength(3);
  });
});

describe('a public driver', () => {
  it('has an address and a way out instead of endpoints, and no rule that lets anybody in', () => {
    const { only, resources } = withNetwork({ mode: 'public-driver' });
    expect(JSON.stringify(only('AWS::EC2::Instance'))).toContain('"AssociatePublicIpAddress":true');
    expect(Object.keys(resources('AWS::EC2::InternetGateway'))).toHaveLength(1);
    expect(resources('AWS::EC2::NatGateway')).toEqual({});
    expect(resources('AWS::EC2::VPCEndpoint')).toEqual({});
    expect(only('AWS::EC2::SecurityGroupIngress').Properties).toMatchObject({
      FromPort: 5432,
      SourceSecurityGroupId: expect.anything() as unknown,
    });
  });
});

describe('the private mode, which is the default', () => {
  const { only, resources, json } = synthesize(experimentStack('dlv-pgbench'));

  it('has no path to the internet', () => {
    expect(resources('AWS::EC2::InternetGateway')).toEqual({});
    expect(resources('AWS::EC2::NatGateway')).toEqual({});
    expect(resources('AWS::EC2::Route')).toEqual({});
    expect(JSON.stringify(only('AWS::EC2::Instance'))).not.toContain('"AssociatePublicIpAddress":true');
  });

  it('has an endpoint for each service that the driver calls', () => {
    const endpoints = Object.values(resources('AWS::EC2::VPCEndpoint')).map(
      ({ Properties }) => (JSON.stringify(Properties['ServiceName']).match(/\.([a-z0-9]+)"/) ?? [])[1],
    );
    expect(endpoints.sort()).toEqual(calledServices(loadExperiment('dlv-pgbench', { folder: project }).experiment));
  });

  it('lets packages, assets, results and the signal through to S3, and nothing else', () => {
    const s3 = Object.values(resources('AWS::EC2::VPCEndpoint')).find(
      ({ Properties }) => Properties['VpcEndpointType'] === 'Gateway',
    );
    const { Statement } = s3?.Properties['PolicyDocument'] as {
      Statement: { Action: string; Resource: unknown; Effect: string }[];
    };
    expect(Statement.map(({ Action, Effect, Resource }) => [Action, Effect, [Resource].flat().length])).toEqual([
      ['s3:GetObject', 'Allow', 3],
      ['s3:ListBucket', 'Allow', 1],
      ['s3:PutObject', 'Allow', 2],
    ]);
    const [read, list, write] = Statement.map(({ Resource }) => JSON.stringify(Resource));
    expect(list).toMatch(/":s3:::",\{"Ref":"SsmParameterValuepgduetresultsbucket\w+"\}/);
    expect(read).toContain('al2023-repos-');
    expect(read).toContain('cdk-hnb659fds-assets');
    expect(write).toContain('cloudformation-waitcondition-');
    expect(write).toContain('dlv-pgbench/alice/');
  });

  it('makes the driver after the endpoints', () => {
    const instance = Object.values(json.Resources).find(({ Type }) => Type === 'AWS::EC2::Instance');
    expect(instance?.DependsOn).toEqual(expect.arrayContaining(Object.keys(resources('AWS::EC2::VPCEndpoint'))));
  });

  it('opens the endpoints to the driver only', () => {
    for (const { Properties } of Object.values(resources('AWS::EC2::SecurityGroupIngress'))) {
      expect(Properties).toHaveProperty('SourceSecurityGroupId');
    }
  });
});

describe('an existing VPC', () => {
  it('is used as it is, without a look-up', () => {
    const { only, resources } = withNetwork({
      mode: 'existing',
      vpcId: 'vpc-0123456789abcdef0',
      driverSubnetId: 'subnet-0123456789abcdef0',
      databaseSubnetIds: ['subnet-0123456789abcdef1', 'subnet-0123456789abcdef2'],
      availabilityZone: 'eu-central-1a',
      publicAddress: false,
      reason: 'the security team wants it there',
    });
    expect(resources('AWS::EC2::VPC')).toEqual({});
    expect(only('AWS::RDS::DBSubnetGroup').Properties).toMatchObject({
      SubnetIds: ['subnet-0123456789abcdef1', 'subnet-0123456789abcdef2'],
    });
    expect(JSON.stringify(only('AWS::EC2::Instance').Properties)).toContain('subnet-0123456789abcdef0');
    for (const { Properties } of Object.values(resources('AWS::EC2::SecurityGroup'))) {
      expect(Properties['VpcId']).toBe('vpc-0123456789abcdef0');
    }
  });
});
