import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { PIClient } from '@aws-sdk/client-pi';
import { RDSClient } from '@aws-sdk/client-rds';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { boundClient } from './bound-client.ts';

export interface AwsClients {
  cloudFormation: CloudFormationClient;
  cloudWatch: CloudWatchClient;
  insights: PIClient;
  logs: CloudWatchLogsClient;
  rds: RDSClient;
  s3: S3Client;
  secrets: SecretsManagerClient;
  ssm: SSMClient;
}

/**
 * Makes the AWS clients, with the same credentials as the AWS command line. It makes no calls.
 *
 * @param region if undefined, the Region of the environment or of the profile
 * @param interrupted aborts when the command must end; calls then have a few more seconds
 */
export function awsClients(region: string | undefined, interrupted: AbortSignal): AwsClients {
  const settings = region === undefined ? {} : { region };
  return {
    cloudFormation: boundClient(CloudFormationClient, settings, interrupted),
    cloudWatch: boundClient(CloudWatchClient, settings, interrupted),
    insights: boundClient(PIClient, settings, interrupted),
    logs: boundClient(CloudWatchLogsClient, settings, interrupted),
    rds: boundClient(RDSClient, settings, interrupted),
    // Finds buckets in other Regions, too.
    s3: boundClient(S3Client, { ...settings, followRegionRedirects: true }, interrupted),
    secrets: boundClient(SecretsManagerClient, settings, interrupted),
    ssm: boundClient(SSMClient, settings, interrupted),
  };
}
