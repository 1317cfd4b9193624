import { bindingParameterName, resultsBucketParameterName } from '../../contract/binding.ts';
import { serversOf } from '../../../contract/server.ts';
import { deploymentsOf } from '../../deployments/registry.ts';
import type { DeployableExperiment } from '../deployable.ts';
import { experimentStackName, identifierOfServer, longestOwner } from '../identifiers.ts';
import { restoredSnapshot } from '../snapshots.ts';
import { readAnything, type PermissionScope } from './permissions.ts';
import type { PolicyStatement } from './document.ts';
import type { ResourceType } from './resource-types.ts';

/** Who launches a stack, and where. */
export interface Launch {
  readonly owner: string;
  readonly region: string;
}

/** What a scope means for one stack. */
export interface Reach {
  readonly resources: readonly string[];
  readonly conditions?: NonNullable<PolicyStatement['Condition']>;
  /** Actions that this experiment needs besides those of its types of resources. */
  readonly more?: readonly string[];
}

/** CloudFormation may make these names of the logical id alone, without the name of the stack. */
const namedByLogicalId = { secret: 'CredentialsSecret*', machine: 'SelfDeletionMachine*', dashboard: 'Dashboard*' };

/**
 * Services that the roles of a stack are for. AWS documents no value for the role of Enhanced Monitoring; one call of RDS
 * is known to need the second of these two.
 */
const services = ['ec2', 'monitoring.rds', 'rds', 'scheduler', 'states'].map((service) => `${service}.amazonaws.com`);

/**
 * The resources of each scope in the stack of an experiment. Account ids are left open: a role reaches only the
 * resources of its own account.
 */
export function scopesOf(
  experiment: DeployableExperiment,
  types: ReadonlySet<ResourceType>,
  launch: Launch | undefined,
): ReadonlyMap<PermissionScope, Reach> {
  const { name, monitoring, credentials, encryption } = experiment;
  const { owner, region } = launch ?? { owner: '*', region: '*' };
  const partition = partitionOf(region);
  const here = (service: string, resource: string) => `arn:${partition}:${service}:${region}:*:${resource}`;
  const global = (service: string, resource: string) => `arn:${partition}:${service}::*:${resource}`;
  /** Of AWS itself. */
  const awsOwned = (service: string, resource: string) => `arn:${partition}:${service}:${region}::${resource}`;
  const only = (type: ResourceType, ...arns: string[]) => (types.has(type) ? arns : []);

  const generated = generatedNames(name, launch?.owner);
  const roles = [global('iam', `role/${generated}`)];
  const secrets = only('AWS::SecretsManager::Secret', here('secretsmanager', `secret:${namedByLogicalId.secret}`));
  const machines = only(
    'AWS::StepFunctions::StateMachine',
    ...[generated, namedByLogicalId.machine].map((one) => here('states', `stateMachine:${one}`)),
  );
  const servers = serverNames(experiment, launch?.owner);
  const ownTags = { 'aws:ResourceTag/experiment': name, ...(launch && { 'aws:ResourceTag/owner': owner }) };
  return new Map<PermissionScope, Reach>([
    ['anything', { resources: ['*'], more: readAnything }],
    ['newInEc2', { resources: [here('ec2', '*'), awsOwned('ec2', 'image/*')] }],
    ['tagging', { resources: [here('ec2', '*')], conditions: { StringEqualsIfExists: ownTags } }],
    [
      'tagged',
      {
        resources: [here('ec2', '*'), ...secrets, ...machines],
        conditions: { StringEquals: ownTags },
      },
    ],
    ['roles', { resources: roles }],
    [
      'monitoringPolicy',
      {
        resources: monitoring.enhancedMonitoringSeconds > 0 ? roles : [],
        conditions: {
          ArnEquals: {
            'iam:PolicyARN': `arn:${partition}:iam::aws:policy/service-role/AmazonRDSEnhancedMonitoringRole`,
          },
        },
      },
    ],
    ['passedRoles', { resources: roles, conditions: { StringEquals: { 'iam:PassedToService': services } } }],
    ['instanceProfiles', { resources: [global('iam', `instance-profile/${generated}`)] }],
    [
      'serviceRole',
      {
        resources: [global('iam', 'role/aws-service-role/rds.amazonaws.com/*')],
        conditions: { StringEquals: { 'iam:AWSServiceName': 'rds.amazonaws.com' } },
      },
    ],
    ['databases', databases(experiment, { generated, servers, here })],
    [
      // RDS chooses their ids. A group of targets cannot be tagged; what carries tags must carry ours.
      'proxies',
      {
        resources: only(
          'AWS::RDS::DBProxy',
          ...['db-proxy:*', 'target-group:*', `db:${servers}`].map((one) => here('rds', one)),
        ),
        conditions: { StringEqualsIfExists: ownTags },
      },
    ],
    [
      'logs',
      {
        resources: [here('logs', `log-group:/aws/rds/*/${servers}`)],
        more: encryption?.kmsKeyArn === undefined ? [] : ['logs:AssociateKmsKey'],
      },
    ],
    ['secrets', { resources: secrets }],
    [
      'givenSecret',
      credentials.kind === 'existing'
        ? {
            resources: [credentials.secretArn, ...(credentials.kmsKeyArn === undefined ? [] : [credentials.kmsKeyArn])],
            more: ['secretsmanager:GetSecretValue', ...(credentials.kmsKeyArn === undefined ? [] : ['kms:Decrypt'])],
          }
        : { resources: [] },
    ],
    [
      'key',
      // Each service asks for its grant or data key with the rights of the caller. EC2 asks for one without plaintext.
      encryption?.kmsKeyArn === undefined
        ? { resources: [] }
        : {
            resources: [encryption.kmsKeyArn],
            more: ['kms:CreateGrant', 'kms:Decrypt', 'kms:DescribeKey', 'kms:GenerateDataKey*'],
          },
    ],
    [
      'parameters',
      { resources: [here('ssm', `parameter${bindingParameterName(name, owner).replace(/[^/]+$/, '*')}`)] },
    ],
    [
      'readParameters',
      {
        resources: [
          here('ssm', `parameter${resultsBucketParameterName}`),
          here('ssm', 'parameter/cdk-bootstrap/*'),
          awsOwned('ssm', 'parameter/aws/service/ami-amazon-linux-latest/*'),
        ],
      },
    ],
    [
      'dashboards',
      { resources: [generated, namedByLogicalId.dashboard].map((one) => global('cloudwatch', `dashboard/${one}`)) },
    ],
    [
      'deletion',
      {
        resources: [here('scheduler', `schedule/default/${generated}`), ...machines],
      },
    ],
    ['topics', { resources: [here('sns', generated)] }],
  ]);
}

function databases(
  experiment: DeployableExperiment,
  { generated, servers, here }: { generated: string; servers: string; here: (service: string, name: string) => string },
): Reach {
  const deployments = deploymentsOf(experiment.variants);
  const snapshot = restoredSnapshot(experiment);
  const { finalSnapshot } = experiment.removal;
  const names = [
    // With the members of a cluster.
    `db:${servers}`,
    'og:default:*',
    `subgrp:${generated}`,
    ...deployments.flatMap(({ arns, namesLastSnapshot }) => [
      `${arns.database}:${servers}`,
      `${arns.parameterGroup}:${generated}`,
      ...(finalSnapshot || namesLastSnapshot ? [`${arns.snapshot}:${generated}`] : []),
    ]),
  ];
  return {
    resources: [
      ...[...new Set(names)].map((name) => here('rds', name)),
      ...(snapshot === undefined ? [] : snapshotArns(snapshot, here)),
    ],
    more: [
      ...(finalSnapshot ? deployments.map(({ actions }) => actions.createSnapshot) : []),
      ...(snapshot === undefined ? [] : deployments.map(({ actions }) => actions.restore)),
    ],
  };
}

/** A name alone does not say whether the snapshot is of a cluster. */
function snapshotArns(snapshot: string, here: (service: string, name: string) => string): string[] {
  if (snapshot.startsWith('arn:')) return [snapshot];
  return ['snapshot', 'cluster-snapshot'].map((kind) => here('rds', `${kind}:${snapshot}`));
}

/** Services allow 64 characters or more; CloudFormation then keeps at least these of the name of the stack. */
const keptOfStackName = 24;

/** Pattern of the names that CloudFormation makes of the stack's name and a logical id. */
function generatedNames(experiment: string, owner: string | undefined): string {
  const known = experimentStackName(experiment, owner ?? '');
  return known.length > keptOfStackName ? `${known.slice(0, keptOfStackName).replace(/-+$/, '')}*` : `${known}*`;
}

/** Pattern of the identifiers of the experiment's servers, and of the members of its clusters. */
function serverNames({ name, variants, protocol }: DeployableExperiment, owner = '*'): string {
  const length = owner === '*' ? longestOwner : owner.length;
  const identifiers = serversOf(Object.keys(variants), protocol.replicas).map((server) =>
    identifierOfServer(name, owner, server, length),
  );
  let prefix = `${owner}-${name}-`;
  while (!identifiers.every((identifier) => identifier.startsWith(prefix))) prefix = prefix.slice(0, -1);
  return `${prefix}*`;
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}
