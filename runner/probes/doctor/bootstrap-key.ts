import { GetBucketEncryptionCommand, type S3Client } from '@aws-sdk/client-s3';
import { AwsCallError, callAws } from '../../aws/call.ts';
import type { Found } from '../probe.ts';
import type { Account } from './account.ts';

/**
 * Finds whether the bucket that `cdk bootstrap` made is encrypted with a key of the account. The key that the bootstrap
 * itself makes may be used by everybody in the account by way of S3; another key must be allowed to the driver.
 *
 * @throws {AwsCallError}
 */
export async function findBootstrapKey(s3: S3Client, { id, partition, region }: Account): Promise<Found<true>> {
  const bucket = `cdk-hnb659fds-assets-${id}-${region}`;
  const key = await keyOf(s3, bucket, id);
  if (key === undefined || key.endsWith('alias/aws/s3')) return { detail: 'a key of S3', value: true };
  const arn = key.startsWith('arn:') ? key : `arn:${partition}:kms:${region}:${id}:key/${key}`;
  return {
    detail: 'a key of this account',
    value: true,
    notes: [
      `${bucket} is encrypted with a key of this account. Unless cdk bootstrap made that key, the driver may use it only if you deploy with: -c assetKey=${arn}`,
    ],
  };
}

/** undefined if the bucket has no key that somebody chose. */
async function keyOf(s3: S3Client, bucket: string, owner: string): Promise<string | undefined> {
  try {
    const { ServerSideEncryptionConfiguration } = await callAws('s3:GetEncryptionConfiguration', bucket, () =>
      s3.send(new GetBucketEncryptionCommand({ Bucket: bucket, ExpectedBucketOwner: owner })),
    );
    return ServerSideEncryptionConfiguration?.Rules?.flatMap(
      ({ ApplyServerSideEncryptionByDefault: by }) => by?.KMSMasterKeyID ?? [],
    ).at(0);
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'ServerSideEncryptionConfigurationNotFoundError')
      return undefined;
    throw error;
  }
}
