import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { PIClient } from '@aws-sdk/client-pi';
import { RDSClient } from '@aws-sdk/client-rds';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { clientSettings } from './call.ts';

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
 * Makes the clients of AWS, with the credentials that the AWS command line would use, too. This calls nothing.
 *
 * @param region if undefined, the Region of the environment or of the profile
 */
export function awsClients(region: string | undefined): AwsClients {
  const settings = { ...clientSettings, ...(region === undefined ? {} : { region }) };
  return {
    cloudFormation: new CloudFormationClient(settings),
    cloudWatch: new CloudWatchClient(settings),
    insights: new PIClient(settings),
    logs: new CloudWatchLogsClient(settings),
    rds: new RDSClient(settings),
    // So that a bucket in another Region is found, too.
    s3: new S3Client({ ...settings, followRegionRedirects: true }),
    secrets: new SecretsManagerClient(settings),
    ssm: new SSMClient(settings),
  };
}
