import { EC2Client } from '@aws-sdk/client-ec2';
import { GuardDutyClient } from '@aws-sdk/client-guardduty';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { STSClient } from '@aws-sdk/client-sts';
import type { RDSClient } from '@aws-sdk/client-rds';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { boundClient } from '../../aws/bound-client.ts';
import { awsClients } from '../../aws/clients.ts';

/** Makes the clients that only `doctor` needs, and those that it shares. It makes no calls. */
export function doctorClients(region: string | undefined, interrupted: AbortSignal): DoctorClients {
  const settings = region === undefined ? {} : { region };
  const { rds, s3, ssm } = awsClients(region, interrupted);
  return {
    rds,
    s3,
    ssm,
    ec2: boundClient(EC2Client, settings, interrupted),
    guardDuty: boundClient(GuardDutyClient, settings, interrupted),
    quotas: boundClient(ServiceQuotasClient, settings, interrupted),
    sts: boundClient(STSClient, settings, interrupted),
  };
}

/** Clients for what `doctor` asks about an account and a Region. `doctor` only reads. */
export interface DoctorClients {
  ec2: EC2Client;
  guardDuty: GuardDutyClient;
  quotas: ServiceQuotasClient;
  rds: RDSClient;
  s3: S3Client;
  ssm: SSMClient;
  sts: STSClient;
}
