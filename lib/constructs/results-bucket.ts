import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, StorageClass } from 'aws-cdk-lib/aws-s3';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import { resultsBucketParameterName } from '../../runner/rds/contract/binding.ts';

/** The bucket that keeps the results, and the SSM parameter through which experiment stacks find it. */
export class ResultsBucket extends Construct {
  readonly bucket: Bucket;

  /** @param keyArn undefined for a key of S3 */
  constructor(scope: Construct, id: string, keyArn: string | undefined) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      ...(keyArn === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : {
            encryption: BucketEncryption.KMS,
            encryptionKey: Key.fromKeyArn(this, 'Key', keyArn),
            // Otherwise S3 would ask KMS, for money, at each write of the status.
            bucketKeyEnabled: true,
          }),
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      versioned: true,
      removalPolicy: RemovalPolicy.RETAIN,
      lifecycleRules: [
        {
          id: 'cheaper-with-age',
          transitions: [{ storageClass: StorageClass.INTELLIGENT_TIERING, transitionAfter: Duration.days(30) }],
          // Status and heartbeat are overwritten every few seconds while an experiment runs.
          noncurrentVersionExpiration: Duration.days(30),
        },
        // A driver that is destroyed in mid-upload leaves parts behind, which are invisible but billed.
        { id: 'abandoned-uploads', abortIncompleteMultipartUploadAfter: Duration.days(2) },
      ],
    });
    Validations.of(this.bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Access logs would need a second bucket that grows for ever; CloudTrail can record data events instead.',
    });
    new StringParameter(this, 'BucketName', {
      parameterName: resultsBucketParameterName,
      stringValue: this.bucket.bucketName,
      description: 'Bucket for the results of pgduet experiments in this Region',
    });
  }
}
