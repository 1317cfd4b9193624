import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { deployable } from '../../runner/rds/deploy/deployable.ts';
import { charactersOf, maxCharacters, type PolicyDocument } from '../../runner/rds/deploy/launch-policy/document.ts';
import { launchPolicy } from '../../runner/rds/deploy/launch-policy/policy.ts';
import { permissions, readAnything } from '../../runner/rds/deploy/launch-policy/permissions.ts';
import { resourceTypesOf } from '../../runner/rds/deploy/launch-policy/resource-types.ts';
import { experimentNames } from '../../runner/experiment/file/find.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { keptCosts } from '../../runner/rds/prices/estimate.ts';
import { launchGuide } from '../../lib/launch-guide.ts';
import { experimentStack, project, removeAppFolders, type Resource, synthesize } from '../helpers/synthesize.ts';

afterAll(removeAppFolders);

const deployments = 'test/fixtures/experiments/deployments.yaml';
const proxied = 'test/fixtures/experiments/proxy.yaml';
const here = { owner: 'alice', region: 'us-east-1' };
const defaults = {
  assetPrefix: 'pgduet-assets',
  windowsKnown: true,
  whenDone: 'destroy',
  lifetimeHours: 24,
  limitDollars: undefined,
  costs: [],
} as const;
const secretArn = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:given-AbCdEf';

/** Types whose resources CloudFormation deletes by the statement about tags. */
const deletedByTag = [
  ...['Instance', 'InternetGateway', 'RouteTable', 'SecurityGroup', 'Subnet', 'VPC'].map((kind) => `AWS::EC2::${kind}`),
  'AWS::SecretsManager::Secret',
  'AWS::StepFunctions::StateMachine',
];

const { handlers } = JSON.parse(
  readFileSync(path.join(project, 'test/rehearsal/emulator/src/account/handlers/handlers.json'), 'utf8'),
) as { handlers: Record<string, Record<string, string[]>> };

/** Actions in the schemas of handlers that the policy does not allow, by what they are for. */
const notAskedFor: Record<string, string[]> = {
  'a change of an instance: no deploy changes the driver': [
    ...['AssociateIamInstanceProfile', 'DisassociateIamInstanceProfile', 'ReplaceIamInstanceProfileAssociation'],
    ...['AttachVolume', 'DetachVolume', 'StartInstances', 'StopInstances', 'UnmonitorInstances'],
    ...['Attribute', 'CreditSpecification', 'MaintenanceOptions', 'MetadataOptions', 'Placement'].map(
      (what) => `ModifyInstance${what}`,
    ),
    'ModifyPrivateDnsNameOptions',
  ].map((action) => `ec2:${action}`),
  'a change of the network: every deploy keeps it': [
    ...['ReplaceRoute', 'ModifyVpcTenancy', 'AssociateSubnetCidrBlock', 'DisassociateSubnetCidrBlock'],
    ...['Egress', 'Ingress'].map((way) => `UpdateSecurityGroupRuleDescriptions${way}`),
  ].map((action) => `ec2:${action}`),
  'other kinds of networks': [
    ...['ec2:AttachVpnGateway', 'ec2:CreateVpcEncryptionControl', 'ec2:DetachVpnGateway', 'vpce:AllowMultiRegion'],
    ...['Create', 'Describe'].map((does) => `vpc-lattice:${does}ServiceNetworkVpcEndpointAssociation`),
  ],
  'associations of Systems Manager': ['ssm:CreateAssociation', 'ssm:DeleteAssociation'],
  'policies of users and groups, and boundaries': [
    ...['Delete', 'Get', 'Put'].flatMap((does) => [`iam:${does}GroupPolicy`, `iam:${does}UserPolicy`]),
    ...['Delete', 'Put'].map((does) => `iam:${does}RolePermissionsBoundary`),
  ],
  'what a log group may have besides its retention': [
    ...['firehose:TagDeliveryStream', 's3:REST.PUT.OBJECT', 'logs:CreateLogDelivery', 'logs:AssociateKmsKey'],
    ...['logs:DisassociateKmsKey', 'logs:PutBearerTokenAuthentication', 'logs:PutLogGroupDeletionProtection'],
    ...['Delete', 'Put'].flatMap((does) => [`logs:${does}IndexPolicy`, `logs:${does}ResourcePolicy`]),
  ],
  'databases that are replicas, global, or reached over HTTP, and their roles': [
    ...['Cluster', 'Instance'].flatMap((kind) => [`AddRoleToDB${kind}`, `RemoveRoleFromDB${kind}`]),
    ...['CreateDBInstanceReadReplica', 'PromoteReadReplica', 'RemoveFromGlobalCluster'],
    ...['DisableHttpEndpoint', 'EnableHttpEndpoint'],
    ...['Start', 'Stop'].map((does) => `${does}DBInstanceAutomatedBackupsReplication`),
    ...['Cluster', 'Instance'].map((kind) => `RestoreDB${kind}ToPointInTime`),
  ].map((action) => `rds:${action}`),
  'roles of a database': ['iam:ListRoles'],
  'snapshots: an experiment with some adds them': [
    ...['rds:CreateDBClusterSnapshot', 'rds:CreateDBSnapshot'],
    ...['rds:RestoreDBClusterFromSnapshot', 'rds:RestoreDBInstanceFromDBSnapshot'],
  ],
  'keys of your own': ['kms:CreateGrant', 'kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey'],
  'copies of secrets': ['RemoveRegionsFromReplication', 'ReplicateSecretToRegions'].map(
    (action) => `secretsmanager:${action}`,
  ),
  'definitions in S3': ['s3:GetObject', 's3:GetObjectVersion'],
  'protection of messages': ['sns:PutDataProtectionPolicy'],
};

/** Ways of deploying that decide what a template consists of. */
const modes: Record<string, (experiment: Experiment) => Experiment> = {
  'as it is': (experiment) => experiment,
  'private, with a mail': (experiment) => ({
    ...experiment,
    network: { mode: 'private' },
    notify: { email: 'alice@example.com' },
  }),
  'in a VPC that exists, with a secret that exists, and never deleted': ({ notify: _, ...experiment }) => ({
    ...experiment,
    network: {
      mode: 'existing',
      reason: 'the VPC has a way to our own network',
      vpcId: 'vpc-0123456789abcdef0',
      availabilityZone: 'us-east-1a',
      driverSubnetId: 'subnet-0123456789abcdef0',
      databaseSubnetIds: ['subnet-0123456789abcdef1', 'subnet-0123456789abcdef2', 'subnet-0123456789abcdef3'],
      publicAddress: false,
    },
    credentials: { kind: 'existing', secretArn },
    whenDone: 'keep',
    expiry: { kind: 'never', reason: 'a test' },
  }),
};

const shipped = [...experimentNames(project), deployments, proxied, 'test/rehearsal/experiments/endings.yaml'].flatMap(
  (name) =>
    loadExperiment(name, { folder: project })
      .profiles.map((profile) => ({ name, profile }))
      .filter(isDeployable),
);

describe('the policy for launching', () => {
  it.each(Object.entries(modes))('covers the types of resources in every template, %s', (_, change) => {
    expect(shipped.length).toBeGreaterThan(8);
    // One profile of an experiment is enough, unless another is to have other types.
    const kinds = new Map(shipped.map((one) => [[one.name, ...typesOf(one, change)].join(), one]));
    for (const { name, profile } of kinds.values()) {
      const { json } = synthesize(experimentStack(name, { profile, change }));
      const types = new Set(Object.values(json.Resources).map(({ Type }) => Type));
      expect([...typesOf({ name, profile }, change)].sort(), `${name} ${profile}`).toEqual(
        [...types.add('AWS::IAM::Policy')].sort(),
      );
    }
  });

  it('leaves out of what the handlers of AWS may call only what our templates do not ask for', () => {
    const allowed = [...Object.values(permissions).flatMap((scopes) => Object.values(scopes).flat()), ...readAnything];
    const called = Object.keys(permissions).flatMap((type) => Object.values(handlers[type] ?? {}).flat());
    const missing = called.filter((action) => !allowed.some((pattern) => matches(pattern, action)));
    expect([...new Set(missing)].sort()).toEqual(Object.values(notAskedFor).flat().sort());
  });

  it('allows the use of the key that an experiment names, and of no other', () => {
    const kmsKeyArn = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
    const { experiment, profile } = loadExperiment('dlv-pgbench', { folder: project });
    const launch = { owner: 'alice', region: 'us-east-1' };
    const encrypted = launchPolicy(deployable({ ...experiment, encryption: { kmsKeyArn } }, profile), launch);
    const keyStatements = encrypted.Statement.filter(({ Action }) =>
      Action.some((action) => action.startsWith('kms:')),
    );
    expect(keyStatements).toEqual([expect.objectContaining({ Sid: 'Key', Resource: [kmsKeyArn] })]);
    expect(statement(encrypted, 'Logs').Action).toContain('logs:AssociateKmsKey');
    expect(JSON.stringify(encrypted).length).toBeLessThan(6144);
    expect(JSON.stringify(launchPolicy(deployable(experiment, profile), launch))).not.toMatch(/kms/i);
  });

  it('allows every name that the template sets, and the role of every service that it passes one to', () => {
    const { json, resources } = synthesize(experimentStack(deployments));
    const policy = policyOf(deployments);
    const named: [string, string, string][] = [
      ['AWS::RDS::DBInstance', 'DBInstanceIdentifier', 'rds:us-east-1:1:db:'],
      ['AWS::RDS::DBCluster', 'DBClusterIdentifier', 'rds:us-east-1:1:cluster:'],
      ['AWS::Logs::LogGroup', 'LogGroupName', 'logs:us-east-1:1:log-group:'],
      ['AWS::SSM::Parameter', 'Name', 'ssm:us-east-1:1:parameter'],
    ];
    for (const [type, property, start] of named) {
      const found = Object.values(resources(type));
      expect(found).not.toEqual([]);
      for (const { Properties } of found) {
        expect(reaches(policy, `arn:aws:${start}${String(Properties[property])}`), String(Properties[property])).toBe(
          true,
        );
      }
    }
    const passed = statement(policy, 'PassedRoles').Condition?.['StringEquals']?.['iam:PassedToService'];
    const trusted = Object.values(resources('AWS::IAM::Role')).map(trustedService);
    // RDS may check the role of Enhanced Monitoring as its own service, too.
    expect([...new Set([...trusted, 'rds.amazonaws.com'])].sort()).toEqual(passed);
    for (const [type, kind] of [
      ['AWS::SecretsManager::Secret', 'secretsmanager:us-east-1:1:secret:'],
      ['AWS::StepFunctions::StateMachine', 'states:us-east-1:1:stateMachine:'],
      ['AWS::CloudWatch::Dashboard', 'cloudwatch::1:dashboard/'],
    ] as const) {
      const [id = ''] = Object.entries(json.Resources).find(([, { Type }]) => Type === type) ?? [];
      expect(reaches(policy, `arn:aws:${kind}${id}-AbCdEf`), id).toBe(true);
    }
  });

  it('reaches no stack of somebody else, nor the role itself', () => {
    const policy = policyOf('dlv-pgbench');
    for (const arn of [
      'rds:us-east-1:1:db:bob-dlv-pgbench-with-dlv',
      'rds:us-east-1:1:db:production',
      'rds:eu-west-1:1:db:alice-dlv-pgbench-with-dlv',
      'logs:us-east-1:1:log-group:/aws/rds/instance/production/postgresql',
      'ssm:us-east-1:1:parameter/pgduet/experiments/dlv-pgbench/bob/binding',
      'iam::1:role/pgduet-dlv-pgbench-bob-DriverRole-AbCdEf',
      'iam::1:role/cloudformation-pgduet-alice',
      's3:::bucket/key',
    ]) {
      expect(reaches(policy, `arn:aws:${arn}`), arn).toBe(false);
    }
    expect(JSON.stringify(policy)).not.toMatch(/"\*:\*"|"[a-z0-9]+:\*"/);
  });

  it('allows what deletes in EC2 only on what carries the tags of the stack', () => {
    const { Action, Condition } = statement(policyOf('dlv-pgbench'), 'Tagged');
    expect(Action).toEqual(expect.arrayContaining(['ec2:TerminateInstances', 'ec2:DeleteVpc']));
    expect(Condition).toEqual({
      StringEquals: { 'aws:ResourceTag/experiment': 'dlv-pgbench', 'aws:ResourceTag/owner': 'alice' },
    });
    const tags = Object.values(synthesize(experimentStack('dlv-pgbench')).json.Resources)
      .filter(({ Type }) => deletedByTag.includes(Type))
      .map(({ Properties }) => Properties['Tags']);
    expect(tags.length).toBeGreaterThan(10);
    for (const set of tags) {
      expect(set).toEqual(
        expect.arrayContaining([
          { Key: 'experiment', Value: 'dlv-pgbench' },
          { Key: 'owner', Value: 'alice' },
        ]),
      );
    }
  });

  it('gives tags to nothing that carries those of another stack, and to what has none: EC2 may tag it only afterwards', () => {
    const { Statement } = policyOf('dlv-pgbench');
    const tagging = Statement.filter(({ Action }) => Action.some((action) => /^ec2:.*Tags$/.test(action)));
    expect(tagging).toEqual([
      {
        Sid: 'Tagging',
        Effect: 'Allow',
        Action: ['ec2:CreateTags', 'ec2:DeleteTags'],
        Resource: ['arn:aws:ec2:us-east-1:*:*'],
        Condition: {
          StringEqualsIfExists: { 'aws:ResourceTag/experiment': 'dlv-pgbench', 'aws:ResourceTag/owner': 'alice' },
        },
      },
    ]);
  });

  it('knows the names of every owner if the template does not say whose it is', () => {
    const policy = launchPolicy(loaded({ name: 'dlv-pgbench', profile: 'full' }, (experiment) => experiment));
    expect(reaches(policy, 'arn:aws:rds:eu-west-1:1:db:bob-dlv-pgbench-with-dlv')).toBe(true);
    expect(reaches(policy, 'arn:aws:iam::1:role/pgduet-dlv-pgbench-bob-DriverRole-AbCdEf')).toBe(true);
    expect(reaches(policy, 'arn:aws:rds:eu-west-1:1:db:bob-quick-a')).toBe(false);
  });

  it('says of a stack that is kept that it bills', () => {
    const guide = (lifetimeHours: number | null, limitDollars?: number) =>
      launchGuide('quick', { ...defaults, whenDone: 'keep', lifetimeHours, limitDollars });
    expect(guide(null)).toContain('The stack stays after its run, and bills until you delete it:');
    expect(guide(9)).toContain(
      'bills, and deletes itself at the latest 9 hours after its creation. To delete it earlier:',
    );
    expect(guide(9, 14)).toContain('deletes itself when $14 are spent, or at the latest 9 hours after its creation.');
    expect(guide(9)).not.toContain('soon after its run');
  });

  it('says what a stack costs an hour and at most, by Region, and which snapshots outlive it', () => {
    const { experiment } = loadExperiment('dlv-pgbench', { folder: project, profile: 'smoke' });
    const guide = (change: Partial<Experiment>): string =>
      launchGuide('quick', {
        ...defaults,
        costs: [keptCosts(deployable({ ...experiment, ...change }, 'smoke'), null, 'us-east-1')],
      });
    expect(guide({})).toContain('    us-east-1        $20.77 an hour, $24.39 at most\n');
    expect(guide({})).not.toContain('outlive the stack');
    // Nothing deletes it.
    expect(guide({ whenDone: 'keep', expiry: { kind: 'never', reason: 'a demonstration' } })).toContain(
      '    us-east-1        $20.77 an hour\n',
    );
    expect(guide({ removal: { finalSnapshot: true } })).toContain(
      'Snapshots that outlive the stack: 2, at most $195 a month',
    );
  });

  it('is what the guide of a portable template attaches to the role, and nothing more', () => {
    const guide = launchGuide('quick', { ...defaults, windowsKnown: false });
    expect(guide.match(/aws iam (attach|put)-role-policy.*/g)).toEqual([
      'aws iam put-role-policy --role-name "$ROLE_NAME" --policy-name launch --policy-document file://policy.json',
    ]);
    expect(guide).toContain('"aws:SourceAccount":"\'"$ACCOUNT"\'"');
  });

  it('fits into a managed policy for every shipped experiment', () => {
    for (const one of shipped) {
      const experiment = loaded(one, (as) => as);
      // With three kinds of deployments and a key, or with a proxy and messages, only a role's own policy holds it.
      const isLarge =
        experiment.encryption !== undefined ||
        (experiment.notify !== undefined &&
          Object.values(experiment.variants).some(({ pooler }) => pooler !== undefined));
      const policy = launchPolicy(experiment, { ...here, owner: 'aliceisalice' });
      expect(charactersOf(policy), one.name).toBeLessThanOrEqual(isLarge ? 10_240 : maxCharacters);
      expect(JSON.stringify(policy)).not.toMatch(/\s/);
    }
  });

  it('lets CloudFormation read a secret that exists, and nothing else of it', () => {
    const policy = launchPolicy(
      loaded({ name: 'dlv-pgbench', profile: 'full' }, (experiment) => ({
        ...experiment,
        credentials: { kind: 'existing', secretArn, kmsKeyArn: 'arn:aws:kms:us-east-1:1:key/a' },
      })),
      here,
    );
    expect(statement(policy, 'GivenSecret')).toMatchObject({
      Action: ['kms:Decrypt', 'secretsmanager:GetSecretValue'],
      Resource: [secretArn, 'arn:aws:kms:us-east-1:1:key/a'],
    });
    expect(policy.Statement.map(({ Sid }) => Sid)).not.toContain('Secrets');
  });

  it('lets a variant be restored from its snapshot, and leave a last one', () => {
    const { Action, Resource } = statement(
      launchPolicy(
        loaded({ name: deployments, profile: 'full' }, (experiment) => ({
          ...experiment,
          data: { ...experiment.data, snapshot: 'arn:aws:rds:us-east-1:1:snapshot:mine' },
          removal: { finalSnapshot: true },
        })),
        here,
      ),
      'Databases',
    );
    for (const kind of ['DBInstanceFromDBSnapshot', 'DBClusterFromSnapshot']) {
      expect(Action).toContain(`rds:Restore${kind}`);
    }
    expect(Action).toEqual(expect.arrayContaining(['rds:CreateDBSnapshot', 'rds:CreateDBClusterSnapshot']));
    expect(Resource).toContain('arn:aws:rds:us-east-1:1:snapshot:mine');
  });
});

interface Named {
  name: string;
  profile: string;
}

function loaded({ name, profile }: Named, change: (experiment: Experiment) => Experiment) {
  return deployable(change(loadExperiment(name, { folder: project, profile }).experiment), profile);
}

function isDeployable(one: Named): boolean {
  try {
    loaded(one, (experiment) => experiment);
    return true;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}

function typesOf(one: Named, change: (experiment: Experiment) => Experiment): ReadonlySet<string> {
  return resourceTypesOf(loaded(one, change));
}

function policyOf(name: string): PolicyDocument {
  return launchPolicy(
    loaded({ name, profile: 'full' }, (experiment) => experiment),
    here,
  );
}

function statement(policy: PolicyDocument, sid: string): PolicyDocument['Statement'][number] {
  const found = policy.Statement.find(({ Sid }) => Sid === sid);
  if (!found) throw new Error(`no statement ${sid}`);
  return found;
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(`^${pattern.replace(/[.?+^$()|[\]{}\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);
}

/** Whether a statement that names resources names this one. */
function reaches({ Statement }: PolicyDocument, arn: string): boolean {
  return Statement.flatMap(({ Resource }) => Resource)
    .filter((pattern) => pattern !== '*')
    .some((pattern) => matches(pattern, arn));
}

function trustedService({ Properties }: Resource): string | undefined {
  const { Statement } = Properties['AssumeRolePolicyDocument'] as { Statement: { Principal: { Service: string } }[] };
  return Statement[0]?.Principal.Service;
}
