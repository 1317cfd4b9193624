import { RDSClient } from '@aws-sdk/client-rds';
import { S3Client } from '@aws-sdk/client-s3';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SSMClient } from '@aws-sdk/client-ssm';
import { patientRetries } from './call.ts';

export interface AwsClients {
  rds: RDSClient;
  s3: S3Client;
  secrets: SecretsManagerClient;
  ssm: SSMClient;
}

/**
 * Everything that reaches AWS, with the credentials that the AWS command line would use too. Making them calls nothing.
 *
 * @param region undefined for that of the environment or the profile
 */
export function awsClients(region: string | undefined): AwsClients {
  const settings = { ...patientRetries, ...(region === undefined ? {} : { region }) };
  return {
    rds: new RDSClient(settings),
    // A bucket of another Region is found from anywhere.
    s3: new S3Client({ ...settings, followRegionRedirects: true }),
    secrets: new SecretsManagerClient(settings),
    ssm: new SSMClient(settings),
  };
}
