import { Aws } from 'aws-cdk-lib';
import { type KeptSnapshot, serverPermissions, snapshotPermissions } from './database-permissions.ts';
import { only, type Permission, type PermittedServer } from './permission.ts';

/** What the driver uses: ARNs, and for servers their identifiers. */
export interface DriverResources {
  /** SSM parameters: of the binding, and of the databases. */
  readonly bindingParameterArn: string;
  readonly databasesParameterArn: string;
  readonly assetArns: readonly string[];
  /** Key of the asset bucket; undefined if the driver needs no permission for it. */
  readonly assetKeyArn: string | undefined;
  readonly results: {
    readonly bucketArn: string;
    readonly prefix: string;
    /** Key of the bucket; undefined if it is a key of S3. */
    readonly keyArn: string | undefined;
  };
  readonly stackId: string;
  readonly secretArn: string;
  /** Key of the secret; undefined if it is the account's default key. */
  readonly secretKeyArn: string | undefined;
  readonly servers: readonly PermittedServer[];
  /** Whether the log volumes are exchanged between the instances in mid-run. */
  readonly crossover: boolean;
  /** undefined for none. */
  readonly snapshot?: KeptSnapshot | undefined;
}

/**
 * Everything that the driver's role allows, and why, besides reading the sources (source-permissions.ts). The driver may
 * do nothing else in the account.
 */
export function driverPermissions(resources: DriverResources): Permission[] {
  const resultsArn = `${resources.results.bucketArn}/${resources.results.prefix}*`;
  return [
    {
      action: 'ssm:GetParameter',
      resource: resources.bindingParameterArn,
      step: 'reading the binding',
      why: 'It contains the addresses of the runner, password, databases and results.',
    },
    {
      action: 'ssm:GetParameter',
      resource: resources.databasesParameterArn,
      step: 'waiting for the databases',
      why: 'They are made when the driver has checked everything else.',
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
            conditions: only('s3'),
            step: 'fetching the runner and the experiment',
            why: 'The asset bucket is encrypted with its own key.',
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
            conditions: only('secretsmanager'),
            step: 'reading the password',
            why: 'The secret is encrypted with its own key.',
          },
        ]),
    {
      action: 's3:PutObject',
      resource: resultsArn,
      step: 'uploading results',
      why: 'Trials, status and logs go to S3 during the run.',
      wildcard: 'The names of the objects below the prefix of this one stack.',
    },
    {
      action: 's3:GetObject',
      resource: resultsArn,
      step: 'checking that the results are in S3',
      why: 'The stack deletes itself only when every object of the run was found in the bucket.',
      wildcard: 'The names of the objects below the prefix of this one stack.',
    },
    {
      action: 's3:ListBucket',
      resource: resources.results.bucketArn,
      conditions: { StringLike: { 's3:prefix': `${resources.results.prefix}*` } },
      step: 'looking for a status that may not exist yet',
      why: 'S3 rejects a read of an object that does not exist as if it were forbidden; only a list tells them apart.',
    },
    ...resultsKeyPermissions(resources.results.keyArn),
    {
      action: 'cloudformation:DescribeStacks',
      resource: resources.stackId,
      step: 'asking when the stack was created',
      why: 'The bill of the driver began then, and it counts for limits.dollars.',
    },
    {
      action: 'rds:DescribeEvents',
      resource: '*',
      step: 'asking what happened to the variants during a trial',
      why: 'A trial with a backup, a failover or maintenance in it is not valid.',
      wildcard: 'Listing events is not limited to an instance.',
    },
    ...resources.servers.flatMap((server) => serverPermissions(server, resources.crossover)),
    ...(resources.snapshot ? snapshotPermissions(resources.snapshot) : []),
    ...sessionManager,
  ];
}

/** @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingKMSEncryption.html for what S3 needs, also in parts */
function resultsKeyPermissions(keyArn: string | undefined): Permission[] {
  if (keyArn === undefined) return [];
  const key = {
    resource: keyArn,
    conditions: only('s3'),
    why: 'The bucket for results is encrypted with its own key.',
  };
  return [
    { ...key, action: 'kms:GenerateDataKey', step: 'uploading results' },
    { ...key, action: 'kms:Decrypt', step: 'uploading results in parts, and checking that they are in S3' },
  ];
}

/**
 * What Session Manager needs on an instance. AWS's managed policy allows more: it also reads every SSM parameter.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awssystemsmanager.html
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonmessagegatewayservice.html
 */
const sessionManager: Permission[] = [
  {
    action: 'ssm:UpdateInstanceInformation',
    // The role is made before its instance, and no condition key stands for "this instance".
    resource: `arn:${Aws.PARTITION}:ec2:${Aws.REGION}:${Aws.ACCOUNT_ID}:instance/*`,
    wildcard: 'The instance has no name before it exists; these are the instances of this account and Region.',
  },
  ...[
    'ssmmessages:CreateControlChannel',
    'ssmmessages:CreateDataChannel',
    'ssmmessages:OpenControlChannel',
    'ssmmessages:OpenDataChannel',
  ].map((action) => ({ action, resource: '*', wildcard: 'The channels of Session Manager have no ARN.' })),
].map((row) => ({
  ...row,
  step: 'opening a session on the driver',
  why: 'Session Manager is the only way in; there is no SSH and no inbound rule.',
}));
