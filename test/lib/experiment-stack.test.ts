import { describe, expect, it } from 'vitest';
import { readBinding } from '../../runner/rds/contract/binding.ts';
import {
  bootSeconds,
  creationTimeoutSeconds,
  preflightSeconds,
  provisionSeconds,
  signalTimeoutSeconds,
} from '../../runner/rds/contract/waiting-times.ts';
import { experimentStack, joined, masked, synthesize } from '../helpers/synthesize.ts';

const stack = experimentStack('dlv-pgbench');
const { json, resources, only } = synthesize(stack);
const all = Object.values(json.Resources);
const text = JSON.stringify(json);

describe('the stack of dlv-pgbench', () => {
  it('looks as it did', () => {
    expect(masked(json)).toMatchSnapshot();
  });

  it('holds two instances alike in every property but identifier and log volume', () => {
    const [a, b, ...others] = Object.values(resources('AWS::RDS::DBInstance')).map(({ Properties }) => Properties);
    expect(others).toEqual([]);
    const names = [...new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})])];
    const different = names.filter((name) => JSON.stringify(a?.[name]) !== JSON.stringify(b?.[name]));
    expect(different.sort()).toEqual(['DBInstanceIdentifier', 'DedicatedLogVolume']);
    expect([a?.['DedicatedLogVolume'], b?.['DedicatedLogVolume']]).toEqual([false, true]);
  });

  it('holds one secret, one monitoring role and one driver', () => {
    only('AWS::SecretsManager::Secret');
    only('AWS::EC2::Instance');
    const trusted = Object.values(resources('AWS::IAM::Role')).map(({ Properties }) =>
      JSON.stringify(Properties['AssumeRolePolicyDocument']),
    );
    expect(trusted.filter((document) => document.includes('monitoring.rds.amazonaws.com'))).toHaveLength(1);
    expect(resources('AWS::SecretsManager::SecretTargetAttachment')).toEqual({});
    expect(resources('AWS::Lambda::Function')).toEqual({});
  });

  it('lets nobody in but the driver to the databases and the endpoints of AWS', () => {
    const inline = Object.values(resources('AWS::EC2::SecurityGroup')).flatMap(
      ({ Properties }) => (Properties['SecurityGroupIngress'] ?? []) as unknown[],
    );
    expect(inline).toEqual([]);
    const rules = Object.values(resources('AWS::EC2::SecurityGroupIngress')).map(({ Properties }) => Properties);
    expect(rules.map(({ FromPort, ToPort, IpProtocol }) => [FromPort, ToPort, IpProtocol]).sort()).toEqual([
      [443, 443, 'tcp'],
      [5432, 5432, 'tcp'],
    ]);
    for (const rule of rules) {
      expect(JSON.stringify(rule['SourceSecurityGroupId'])).toContain('DriverSecurityGroup');
      expect(rule).not.toHaveProperty('CidrIp');
      expect(rule).not.toHaveProperty('CidrIpv6');
    }
  });

  it('shows a password nowhere', () => {
    const passwords = [...text.matchAll(/"MasterUserPassword":(\{.*?\]\}),/g)].map(([, value]) => value);
    expect(passwords).toHaveLength(2);
    for (const value of passwords) expect(value).toContain('{{resolve:secretsmanager:');
    expect(JSON.stringify(json.Outputs) + JSON.stringify(resources('AWS::SSM::Parameter'))).not.toContain('{{resolve:');
    expect(joined(only('AWS::EC2::Instance').Properties['UserData'])).not.toMatch(/secretsmanager|password/i);
  });

  it('retains nothing', () => {
    const kept = all.filter(
      ({ DeletionPolicy, UpdateReplacePolicy }) =>
        (DeletionPolicy ?? 'Delete') !== 'Delete' || (UpdateReplacePolicy ?? 'Delete') !== 'Delete',
    );
    expect(kept).toEqual([]);
    // Without a deletion policy, CloudFormation would make snapshots of databases.
    for (const { DeletionPolicy } of Object.values(resources('AWS::RDS::DBInstance')))
      expect(DeletionPolicy).toBe('Delete');
  });

  it('makes the log groups before the databases that would make them', () => {
    const groups = Object.entries(resources('AWS::Logs::LogGroup'));
    expect(groups).toHaveLength(2);
    for (const [id, { Properties }] of groups) {
      const identifier = String(Properties['LogGroupName']).split('/')[4];
      const database = Object.values(resources('AWS::RDS::DBInstance')).find(
        (instance) => instance.Properties['DBInstanceIdentifier'] === identifier,
      );
      expect(database?.DependsOn).toContain(id);
    }
  });

  it('tags what can be tagged for cost allocation', () => {
    for (const { Properties } of [only('AWS::EC2::Instance'), ...Object.values(resources('AWS::RDS::DBInstance'))]) {
      expect(Properties['Tags']).toEqual(
        expect.arrayContaining([
          { Key: 'experiment', Value: 'dlv-pgbench' },
          { Key: 'owner', Value: 'alice' },
        ]),
      );
    }
  });

  it('tells the runner in a binding that the runner understands', () => {
    const value = joined(resources('AWS::SSM::Parameter')['Binding']?.Properties['Value']);
    const binding = readBinding(value, 'the template');
    expect(Object.keys(binding.variants)).toEqual(['without-dlv', 'with-dlv']);
    expect(binding.variants['with-dlv']).toMatchObject({
      identifier: 'alice-dlv-pgbench-with-dlv',
      expected: {
        dedicatedLogVolume: true,
        class: 'db.r5.16xlarge',
        storage: { type: 'io2', sizeGib: 1024, iops: 10_000 },
      },
    });
    expect(binding.experiment.file).toBe('/opt/pgduet/experiment/dlv-pgbench.yaml');
    // A limit in dollars is checked with this: the upper end of the plan's price.
  });
});

/** Everything that CloudFormation makes before a resource, and deletes after it. */
function needsOf(id: string): string[] {
  const needed = new Set<string>();
  const add = (one: string): void => {
    const { DependsOn = [], ...resource } = json.Resources[one] ?? {};
    const named = [...JSON.stringify(resource).matchAll(/"(?:Ref|Fn::GetAtt)":\[?"(\w+)"/g)].map(
      ([, name = '']) => name,
    );
    for (const next of [DependsOn, named].flat()) {
      if (needed.has(next) || !(next in json.Resources)) continue;
      needed.add(next);
      add(next);
    }
  };
  add(id);
  return [...needed];
}

describe('the driver', () => {
  const instance = only('AWS::EC2::Instance');

  it('is made after every rule and parameter that it needs, and says that it is ready before anything dear is made', () => {
    const [id = ''] = Object.keys(resources('AWS::EC2::Instance'));
    for (const type of ['AWS::EC2::SecurityGroupIngress', 'AWS::EC2::Route', 'AWS::RDS::DBParameterGroup']) {
      for (const rule of Object.keys(resources(type))) expect(needsOf(id)).toContain(rule);
    }
    expect(needsOf(id)).toContain('Binding');
    const [, provisioned, created = '', preflight] = Object.keys(resources('AWS::CloudFormation::WaitCondition'));
    const databases = Object.keys(resources('AWS::RDS::DBInstance'));
    expect(databases).toHaveLength(2);
    for (const database of databases) expect(needsOf(database)).toContain(provisioned);
    for (const later of ['DatabasesMade', preflight ?? '']) {
      expect(needsOf(later)).toEqual(expect.arrayContaining(databases));
    }
    // Beside them, so that it can end their creation.
    expect(needsOf(created)).toContain(provisioned);
    for (const database of databases) expect(needsOf(created)).not.toContain(database);
  });

  it('is deleted at the same time as the databases, and not after them', () => {
    const [id = ''] = Object.keys(resources('AWS::EC2::Instance'));
    for (const database of Object.keys(resources('AWS::RDS::DBInstance'))) {
      expect(needsOf(database)).not.toContain(id);
      expect(needsOf(id)).not.toContain(database);
    }
  });

  it('is given up soon if it cannot boot, and has the time that its pre-flight may take', () => {
    const conditions = Object.entries(resources('AWS::CloudFormation::WaitCondition'));
    const seconds = conditions.map(([id, { Properties }]) => [id.replace(/\w{8}$/, ''), Number(Properties['Timeout'])]);
    expect(seconds).toEqual([
      ['DriverBooted', bootSeconds],
      ['DriverProvisioned', bootSeconds + provisionSeconds],
      ['DriverCreated', creationTimeoutSeconds],
      ['DriverPreFlight', signalTimeoutSeconds],
    ]);
    expect(bootSeconds).toBeLessThanOrEqual(1200);
    expect(provisionSeconds).toBeLessThanOrEqual(1200);
    expect(signalTimeoutSeconds).toBeGreaterThan(preflightSeconds);
  });

  it('demands version 2 of the metadata service and encrypts its disk', () => {
    expect(instance.Properties).toMatchObject({
      MetadataOptions: { HttpTokens: 'required' },
      BlockDeviceMappings: [{ Ebs: { Encrypted: true, VolumeSize: 100 } }],
    });
    expect(instance.Properties).not.toHaveProperty('KeyName');
  });

  it('is left alone by GuardDuty, whose endpoint would outlive the stack in its VPC', () => {
    expect(instance.Properties).toMatchObject({
      MetadataOptions: { InstanceMetadataTags: 'enabled' },
      Tags: expect.arrayContaining([{ Key: 'GuardDutyManaged', Value: 'false' }]) as object,
    });
    expect(all.filter((resource) => JSON.stringify(resource).includes('GuardDutyManaged'))).toEqual([instance]);
  });

  it('gets the newest image at launch and at no later deploy', () => {
    expect(instance.Properties).not.toHaveProperty('ImageId');
    expect(only('AWS::EC2::LaunchTemplate').Properties).toMatchObject({
      LaunchTemplateData: { ImageId: expect.stringMatching(/^resolve:ssm:.*al2023.*x86_64$/) as string },
    });
  });

  it('is in the zone of the instances', () => {
    for (const database of Object.values(resources('AWS::RDS::DBInstance'))) {
      expect(database.Properties['AvailabilityZone']).toEqual(instance.Properties['AvailabilityZone']);
    }
  });
});

describe('another deploy of the same experiment', () => {
  it('makes the same template a day later, but for the windows, which keep their values at a later deploy', () => {
    const later = synthesize(experimentStack('dlv-pgbench', { now: new Date('2026-11-22T10:50:00Z') })).json;
    const { BackupWindow: _backup, MaintenanceWindow: _maintenance, ...parameters } = later.Parameters;
    expect(json.Parameters).toMatchObject(parameters);
    expect({ ...later, Parameters: json.Parameters }).toEqual(json);
  });

  it('changes only the binding, for which deploy the databases are made, the policy of the driver and which run ends the stack, whatever profile may be deployed over another', () => {
    for (const profile of ['smoke', 'published', 'crossover']) {
      const other = synthesize(experimentStack('dlv-pgbench', { profile })).json.Resources;
      expect(Object.keys(other).sort()).toEqual(Object.keys(json.Resources).sort());
      const changed = Object.entries(other).flatMap(([id, resource]) =>
        JSON.stringify(resource) === JSON.stringify(json.Resources[id]) ? [] : [resource.Type],
      );
      expect(changed.sort()).toEqual([
        ...(profile === 'crossover' ? ['AWS::IAM::Role'] : []),
        'AWS::SSM::Parameter',
        'AWS::SSM::Parameter',
        'AWS::StepFunctions::StateMachine',
      ]);
    }
  });

  it('leaves the driver alone when runner or profile changed', () => {
    const changed = synthesize(
      experimentStack('dlv-pgbench', {
        profile: 'smoke',
        runnerFolder: import.meta.dirname,
        now: new Date('2026-11-25T03:00Z'),
      }),
    );
    expect(changed.json).not.toEqual(json);
    expect(changed.only('AWS::EC2::Instance')).toEqual(only('AWS::EC2::Instance'));
    expect(changed.only('AWS::EC2::LaunchTemplate')).toEqual(only('AWS::EC2::LaunchTemplate'));
    expect(changed.resources('AWS::RDS::DBInstance')).toEqual(resources('AWS::RDS::DBInstance'));
  });
});
