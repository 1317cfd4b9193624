import { EC2Client } from '@aws-sdk/client-ec2';
import { GuardDutyClient } from '@aws-sdk/client-guardduty';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { STSClient } from '@aws-sdk/client-sts';
import { clientSettings } from '../../aws/call.ts';
import type { DoctorClients } from './aws-clients.ts';
import { awsClients } from '../../aws/clients.ts';

/** Makes the clients that only `doctor` needs, and those that it shares. This calls nothing. */
export function doctorClients(region: string | undefined): DoctorClients {
  const settings = { ...clientSettings, ...(region === undefined ? {} : { region }) };
  const { rds, s3, ssm } = awsClients(region);
  return {
    ...{ rds, s3, ssm },
    ec2: new EC2Client(settings),
    guardDuty: new GuardDutyClient(settings),
    quotas: new ServiceQuotasClient(settings),
    sts: new STSClient(settings),
  };
}
