import type { EC2Client } from '@aws-sdk/client-ec2';
import type { RDSClient } from '@aws-sdk/client-rds';
import type { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import type { SSMClient } from '@aws-sdk/client-ssm';
import type { STSClient } from '@aws-sdk/client-sts';

/** Clients for what `doctor` asks about an account and a Region. It only reads. */
export interface DoctorClients {
  ec2: EC2Client;
  quotas: ServiceQuotasClient;
  rds: RDSClient;
  ssm: SSMClient;
  sts: STSClient;
}
