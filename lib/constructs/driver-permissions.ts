import { Aws } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ServerBinding } from '../../runner/contract/binding.ts';
import type { WantedSources } from '../../runner/experiment/deploy/aws-sources.ts';

/** One thing that the driver may do. The policy is made of these rows and of nothing else. */
export interface Permission {
  readonly action: string;
  readonly resource: string;
  /** What the driver does when it needs the permission. This step fails without it. */
  readonly step: string;
  readonly why: string;
  /** Why the resource holds a wildcard; required if it holds one. */
  readonly wildcard?: string;
}

/** A database; `resourceId` is its DbiResourceId, undefined for a cluster. */
type Server = Pick<ServerBinding, 'kind' | 'identifier' | 'expected'> & { readonly resourceId?: string | undefined };

/** What the driver works with: ARNs, and for servers their identifiers. */
export interface DriverResources {
  readonly bindingParameterArn: string;
  readonly assetArns: readonly string[];
  /** Key of the bucket of assets; undefined if the driver needs no permission for it. */
  readonly assetKeyArn: string | undefined;
  readonly resultsArn: string;
  readonly stackId: string;
  readonly secretArn: string;
  /** Key of the secret; undefined if it is the account's default one. */
  readonly secretKeyArn: string | undefined;
  readonly servers: readonly Server[];
  /** Sources of AWS that are asked about the databases when the run has ended. */
  readonly sources: WantedSources;
  /** Whether the log volumes are exchanged between the instances in mid-run. */
  readonly crossover: boolean;
  /** Name of the server of which a snapshot is kept, and what the snapshot's name begins with; undefined for none. */
  readonly snapshot?:
    { readonly of: Pick<ServerBinding, 'kind' | 'identifier'>; readonly namePrefix: string } | undefined;
}

/** So many instances are named by their resources. The policies of a role hold 10,240 characters, and a name takes 200. */
const namedResources = 8;

/** Everything that the driver's role allows, and why. The driver may do nothing else in the account. */
export function driverPermissions(resources: DriverResources): Permission[] {
  return [
    {
      action: 'ssm:GetParameter',
      resource: resources.bindingParameterArn,
      step: 'reading the binding',
      why: 'It says where runner, password, databases and results are.',
    },
    ...resources.assetArns.map((resource) => ({
      action: 's3:GetObject',
      resource,
      step: 'fetching the runner and the experiment',
      why: 'They are assets of the deploy.',
    })),
    ...(resources.assetKeyArn === undefined
      ? []
      : [
          {
            action: 'kms:Decrypt',
            resource: resources.assetKeyArn,
            step: 'fetching the runner and the experiment',
            why: 'The bucket of assets is encrypted with a key of its own.',
          },
        ]),
    {
      action: 'secretsmanager:GetSecretValue',
      resource: resources.secretArn,
      step: 'reading the password',
      why: 'The load generator connects as the master user.',
    },
    ...(resources.secretKeyArn === undefined
      ? []
      : [
          {
            action: 'kms:Decrypt',
            resource: resources.secretKeyArn,
            step: 'reading the password',
            why: 'The secret is encrypted with a key of its own.',
          },
        ]),
    {
      action: 's3:PutObject',
      resource: `${resources.resultsArn}*`,
      step: 'uploading results',
      why: 'Trials, status and logs go to S3 as they come.',
      wildcard: 'The names of the objects below the prefix of this one stack.',
    },
    {
      action: 's3:GetObject',
      resource: `${resources.resultsArn}*`,
      step: 'proving that the results are there',
      why: 'The stack deletes itself only when every object of the run was seen in the bucket.',
      wildcard: 'The names of the objects below the prefix of this one stack.',
    },
    {
      action: 'cloudformation:DescribeStacks',
      resource: resources.stackId,
      step: 'looking at the stack',
      why: 'The bill began when the stack was made, and limits.dollars counts from there.',
    },
    {
      action: 'rds:DescribeEvents',
      resource: '*',
      step: 'asking what happened to the variants during a trial',
      why: 'A trial with a backup, a failover or maintenance in it is no measurement.',
      wildcard: 'Listing events is not limited to an instance.',
    },
    ...resources.servers.flatMap((server) => serverPermissions(server, resources.crossover)),
    ...sourcePermissions(resources),
    ...(resources.snapshot ? snapshotPermissions(resources.snapshot) : []),
    ...sessionManager,
  ];
}

/** @throws if a row has a wildcard action, or a wildcard resource without a reason: a mistake of ours */
export function permissionsDocument(permissions: readonly Permission[]): PolicyDocument {
  for (const { action, resource, wildcard } of permissions) {
    if (action.includes('*')) throw new Error(`The driver's policy has the wildcard action ${action}.`);
    if (resource.includes('*') && wildcard === undefined) {
      throw new Error(`The driver's policy has the wildcard resource ${resource} without a reason.`);
    }
  }
  return new PolicyDocument({
    statements: permissions.map(
      ({ action, resource }) => new PolicyStatement({ actions: [action], resources: [resource] }),
    ),
  });
}

function serverPermissions({ kind, identifier, expected }: Server, crossover: boolean): Permission[] {
  const instance = {
    action: 'rds:DescribeDBInstances',
    resource: rdsArn('db', identifier),
    step: 'looking at the variants',
    why: 'The pre-flight proves that each is what was asked for; the endpoint is found there, too.',
  };
  const failOverToDriverZone = {
    step: 'bringing the primary to the driver’s zone',
    why: 'A primary in another zone would add the network between zones to every statement.',
  };
  const bringIntoForce = {
    step: 'rebooting a database whose parameter group waits for that',
    why: 'A database may be made before its parameters are there; without them it would not be what was asked for.',
  };
  if (kind === 'instance') {
    const reboot = { action: 'rds:RebootDBInstance', resource: instance.resource };
    const crossOver = {
      step: 'changing the places of the log volumes',
      why: 'In a crossover each instance carries every variant once, so that their hosts cancel out.',
    };
    return [
      instance,
      { ...reboot, ...bringIntoForce },
      ...(expected.multiAz ? [{ ...reboot, ...failOverToDriverZone }] : []),
      ...(crossover
        ? [
            { action: 'rds:ModifyDBInstance', resource: instance.resource, ...crossOver },
            { ...reboot, ...crossOver },
          ]
        : []),
    ];
  }
  const cluster = rdsArn('cluster', identifier);
  return [
    { ...instance, action: 'rds:DescribeDBClusters', resource: cluster },
    {
      ...instance,
      resource: rdsArn('db', `${identifier}-instance-*`),
      wildcard: 'RDS names the members of a Multi-AZ cluster itself.',
    },
    { action: 'rds:RebootDBCluster', resource: cluster, ...bringIntoForce },
    { action: 'rds:FailoverDBCluster', resource: cluster, ...failOverToDriverZone },
    {
      action: 'rds:FailoverDBCluster',
      resource: rdsArn('db', `${identifier}-instance-*`),
      ...failOverToDriverZone,
      wildcard: 'RDS names the members of a Multi-AZ cluster itself.',
    },
  ];
}

/**
 * Only for sources that are asked.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsperformanceinsights.html for the resources
 */
function sourcePermissions({ servers, sources }: DriverResources): Permission[] {
  const step = 'asking what AWS has seen of the databases';
  const ofMembers = 'RDS names the members of a Multi-AZ cluster itself.';
  const ids = servers.flatMap(({ resourceId }) => resourceId ?? []);
  const isMany = servers.length > namedResources;
  const wildcard = isMany ? 'A role’s policy does not hold the resources of so many instances.' : ofMembers;
  // One row for all of them: where there is a wildcard for the members of a cluster, no other row would be needed.
  const resources = isMany || ids.length < servers.length ? ['db-*'] : ids;
  const ofEach = (action: string, arn: (resourceId: string) => string, why: string): Permission[] =>
    resources.map((id) => ({ action, resource: arn(id), step, why, ...(id.includes('*') ? { wildcard } : {}) }));
  const here = `${Aws.REGION}:${Aws.ACCOUNT_ID}`;
  return [
    ...(sources.cloudWatch
      ? [
          {
            ...{ action: 'cloudwatch:GetMetricData', resource: '*', step },
            why: 'It tells latency, throughput and queue of the volumes, also of the log volume.',
            wildcard: 'Reading metrics is not limited to an instance.',
          },
        ]
      : []),
    ...(sources.insights
      ? ofEach(
          'pi:GetResourceMetrics',
          (id) => `arn:${Aws.PARTITION}:pi:${here}:metrics/rds/${id}`,
          'Database Insights tells what sessions waited for, which is compared with our own samples.',
        )
      : []),
    ...(sources.enhancedMonitoring
      ? ofEach(
          'logs:GetLogEvents',
          (id) => `arn:${Aws.PARTITION}:logs:${here}:log-group:RDSOSMetrics:log-stream:${id}`,
          'Enhanced Monitoring tells what processors and devices did in each second.',
        )
      : []),
    ...servers.flatMap(({ kind, identifier }) =>
      ['rds:DescribeDBLogFiles', 'rds:DownloadDBLogFilePortion'].map((action) => ({
        ...{ action, step: 'reading the log of PostgreSQL', why: 'It tells when each checkpoint began and ended.' },
        ...(kind === 'cluster'
          ? { resource: rdsArn('db', `${identifier}-instance-*`), wildcard: ofMembers }
          : { resource: rdsArn('db', identifier) }),
      })),
    ),
  ];
}

/** @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonrds.html for the resources */
function snapshotPermissions({ of, namePrefix }: NonNullable<DriverResources['snapshot']>): Permission[] {
  const cluster = of.kind === 'cluster';
  const database = rdsArn(cluster ? 'cluster' : 'db', of.identifier);
  const snapshot = {
    resource: rdsArn(cluster ? 'cluster-snapshot' : 'snapshot', `${namePrefix}*`),
    step: 'keeping a snapshot of the loaded data',
    why: 'The next stack restores it instead of loading.',
    wildcard: 'The name of the snapshot ends in the time of the run.',
  };
  const create = cluster ? 'rds:CreateDBClusterSnapshot' : 'rds:CreateDBSnapshot';
  return [
    { action: create, resource: database, step: snapshot.step, why: snapshot.why },
    { ...snapshot, action: create },
    { ...snapshot, action: cluster ? 'rds:DescribeDBClusterSnapshots' : 'rds:DescribeDBSnapshots' },
    { ...snapshot, action: 'rds:AddTagsToResource' },
  ];
}

/** What Session Manager needs on an instance. AWS's managed policy allows more: it also reads every SSM parameter. */
const sessionManager: Permission[] = [
  'ssm:UpdateInstanceInformation',
  'ssmmessages:CreateControlChannel',
  'ssmmessages:CreateDataChannel',
  'ssmmessages:OpenControlChannel',
  'ssmmessages:OpenDataChannel',
].map((action) => ({
  action,
  resource: '*',
  step: 'opening a session on the driver',
  why: 'Session Manager is the only way in; there is no SSH and no inbound rule.',
  wildcard: 'The channels of Session Manager have no ARN, and the instance has none before it exists.',
}));

function rdsArn(kind: 'db' | 'cluster' | 'snapshot' | 'cluster-snapshot', identifier: string): string {
  return `arn:${Aws.PARTITION}:rds:${Aws.REGION}:${Aws.ACCOUNT_ID}:${kind}:${identifier}`;
}
