import type { EC2Client } from '@aws-sdk/client-ec2';
import type { GuardDutyClient } from '@aws-sdk/client-guardduty';
import type { RDSClient } from '@aws-sdk/client-rds';
import type { S3Client } from '@aws-sdk/client-s3';
import type { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { STSClient } from '@aws-sdk/client-sts';

/** Clients for what `doctor` asks about an account and a Region. It only reads. */
export interface DoctorClients {
  ec2: EC2Client;
  guardDuty: GuardDutyClient;
  quotas: ServiceQuotasClient;
  rds: RDSClient;
  s3: S3Client;
  ssm: SSMClient;
  sts: STSClient;
}
