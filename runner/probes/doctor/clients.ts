import { EC2Client } from '@aws-sdk/client-ec2';
import { GuardDutyClient } from '@aws-sdk/client-guardduty';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { STSClient } from '@aws-sdk/client-sts';
import { boundClient } from '../../aws/bound-client.ts';
import type { DoctorClients } from './aws-clients.ts';
import { awsClients } from '../../aws/clients.ts';

/** Makes the clients that only `doctor` needs, and those that it shares. This calls nothing. */
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
