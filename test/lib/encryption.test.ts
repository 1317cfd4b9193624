import { describe, expect, it } from 'vitest';
import { ResultsStack, resultsStackName } from '../../lib/results-stack.ts';
import type { Experiment } from '../../runner/contract/experiment/schema.ts';
import { experimentStack, project, type Resource, synthesize, testApp } from '../helpers/synthesize.ts';

const key = 'arn:aws:kms:us-east-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
const bucketKey = key.replace('1234abcd', 'ffff0000');
const deployments = `${project}/test/fixtures/experiments/deployments.yaml`;

function withKeys(encryption: Experiment['encryption'], changes: Partial<Experiment> = {}) {
  return experimentStack(deployments, { change: (experiment) => ({ ...experiment, encryption, ...changes }) });
}

/** What the stack does with keys: for each row of the driver's table, action, key and the service that uses it. */
function keyRows({ driverPermissions }: ReturnType<typeof experimentStack>): string[] {
  return driverPermissions
    .filter(({ action }) => action.startsWith('kms:'))
    .map(({ action, resource, conditions = {} }) => {
      const { 'kms:ViaService': via = '' } = (conditions['StringEquals'] ?? {}) as Record<string, string>;
      return [action, resource === key ? 'key' : 'bucketKey', via.split('.')[0]].join(' ').trim();
    });
}

function values(resources: Record<string, Resource>, property: string): unknown[] {
  return Object.values(resources).map(({ Properties }) => Properties[property]);
}

const viaS3 = { 'Fn::Join': ['', ['s3.', { Ref: 'AWS::Region' }, '.amazonaws.com']] };

interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: { StringEquals?: Record<string, unknown> };
}

/** All statements that allow something with keys, wherever in a template they stand. */
function keyStatements(part: unknown): Statement[] {
  if (typeof part !== 'object' || part === null) return [];
  const { Effect, Action } = part as Partial<Statement>;
  const isOne = Effect === 'Allow' && [Action].flat().some((action) => /^(kms:|\*$)/.test(String(action)));
  return isOne ? [part as Statement] : Object.values(part).flatMap(keyStatements);
}

function isLimited({ Condition }: Statement): boolean {
  const { StringEquals = {} } = Condition ?? {};
  // An endpoint lets everything through, to this account alone.
  return 'kms:ViaService' in StringEquals || 'aws:PrincipalAccount' in StringEquals;
}

describe('a key of one’s own', () => {
  it('encrypts storage, Database Insights, secret, logs and the driver’s disk', () => {
    const { resources, only } = synthesize(withKeys({ kmsKeyArn: key }));
    expect(values(resources('AWS::RDS::DBInstance'), 'KmsKeyId')).toEqual([key, key]);
    expect(values(resources('AWS::RDS::DBInstance'), 'PerformanceInsightsKMSKeyId')).toEqual([key, key]);
    expect(only('AWS::RDS::DBCluster').Properties).toMatchObject({
      StorageEncrypted: true,
      KmsKeyId: key,
      PerformanceInsightsKmsKeyId: key,
    });
    expect(only('AWS::SecretsManager::Secret').Properties).toMatchObject({ KmsKeyId: key });
    expect(values(resources('AWS::Logs::LogGroup'), 'KmsKeyId')).toEqual([key, key, key]);
    expect(only('AWS::EC2::Instance').Properties['BlockDeviceMappings']).toMatchObject([
      { Ebs: { Encrypted: true, KmsKeyId: key } },
    ]);
  });

  it('is for the driver only what it does by each service', () => {
    expect(keyRows(withKeys({ kmsKeyArn: key }))).toEqual([
      'kms:Decrypt key secretsmanager',
      'kms:GenerateDataKey key s3',
      'kms:Decrypt key s3',
      'kms:Decrypt key rds',
      'kms:GenerateDataKey key rds',
    ]);
  });

  it('of the bucket alone changes no database, and is for S3 alone', () => {
    const stack = withKeys({ resultsKmsKeyArn: bucketKey });
    expect(keyRows(stack)).toEqual(['kms:GenerateDataKey bucketKey s3', 'kms:Decrypt bucketKey s3']);
    const { json } = synthesize(stack);
    expect(JSON.stringify(json.Resources)).not.toContain('"KmsKeyId"');
  });

  it('lets the role that deletes the stack read the status in an encrypted bucket, and record what it does, through S3 alone', () => {
    const { resources } = synthesize(withKeys({ kmsKeyArn: key, resultsKmsKeyArn: bucketKey }));
    const roles = Object.entries(resources('AWS::IAM::Role')).filter(([id]) => /^SelfDeletionRole/.test(id));
    expect(keyStatements(roles)).toMatchObject([
      {
        Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
        Resource: bucketKey,
        Condition: { StringEquals: { 'kms:ViaService': viaS3 } },
      },
    ]);
  });

  it('is in no statement of the whole template without the service that uses it', () => {
    const stack = withKeys(
      { kmsKeyArn: key, resultsKmsKeyArn: bucketKey },
      { network: { mode: 'private' }, notify: { email: 'team@example.com' } },
    );
    const { json } = synthesize(stack);
    const statements = keyStatements(json.Resources);
    expect(statements.length).toBeGreaterThan(5);
    expect(statements.filter((one) => !isLimited(one))).toEqual([]);
    expect(isLimited({ Effect: 'Allow', Action: ['kms:Decrypt'], Resource: key })).toBe(false);
  });

  it('needs no endpoint in a private network: no service but S3, RDS and Secrets Manager asks KMS', () => {
    const endpoints = (encryption: Experiment['encryption']) =>
      Object.keys(
        synthesize(withKeys(encryption, { network: { mode: 'private' } })).resources('AWS::EC2::VPCEndpoint'),
      );
    expect(endpoints({ kmsKeyArn: key })).toEqual(endpoints(undefined));
  });

  it('is not that of a restored database, which keeps the key of its snapshot', () => {
    const snapshot = 'arn:aws:rds:us-east-1:123456789012:snapshot:kept';
    const { resources } = synthesize(withKeys({ kmsKeyArn: key }, { data: { keep: false, snapshot } }));
    expect(values(resources('AWS::RDS::DBInstance'), 'KmsKeyId')).toEqual([undefined, undefined]);
    expect(values(resources('AWS::RDS::DBCluster'), 'KmsKeyId')).toEqual([undefined]);
    expect(values(resources('AWS::Logs::LogGroup'), 'KmsKeyId')).toEqual([key, key, key]);
  });

  it('encrypts the bucket for results, by a word at the deploy of its stack', () => {
    const { only } = synthesize(new ResultsStack(testApp(), resultsStackName, { keyArn: bucketKey }));
    expect(only('AWS::S3::Bucket').Properties['BucketEncryption']).toEqual({
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: bucketKey },
        },
      ],
    });
  });
});
