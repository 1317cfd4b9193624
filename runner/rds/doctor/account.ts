import { EC2Client } from '@aws-sdk/client-ec2';
import { GuardDutyClient } from '@aws-sdk/client-guardduty';
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import type { RDSClient } from '@aws-sdk/client-rds';
import { GetBucketEncryptionCommand, type S3Client } from '@aws-sdk/client-s3';
import type { SSMClient } from '@aws-sdk/client-ssm';
import { boundClient } from '../aws/bound-client.ts';
import { awsClients } from '../aws/clients.ts';
import { AwsCallError, callAws } from '../aws/call.ts';
import { parameterValue } from '../aws/parameter.ts';
import { bindingParameterName, resultsBucketParameterName } from '../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { Checker, Found } from '../../probes/probe.ts';

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

/** Parameter in which `cdk bootstrap` stores its version, unless it was run with another qualifier. */
const bootstrapParameter = '/cdk-bootstrap/hnb659fds/version';
/** The oldest bootstrap version that templates of CDK's default synthesizer accept. */
const oldestBootstrap = 6;

/** The account and the Region of the credentials. */
export interface Account {
  /** Twelve digits. */
  id: string;
  /** The partition in its ARNs, such as `aws`. */
  partition: string;
  region: string;
  /** Whether this experiment of this owner is deployed there. It then already has what it needs. */
  hasDeployed: boolean;
}

/**
 * Checks credentials, `cdk bootstrap` and the results stack.
 *
 * @returns null if nothing further can be checked
 */
export async function checkAccount(
  { check }: Checker,
  { sts, ssm }: DoctorClients,
  deploy: { experiment: string; owner: string },
): Promise<Account | null> {
  const region = await check('region', async () => {
    const name = await callAws('choosing the Region', 'this command', () => ssm.config.region());
    return { detail: name, value: name };
  });
  if (region === null) return null;
  const account = await check('credentials', async () => {
    const { Account = '', Arn = '' } = await callAws('sts:GetCallerIdentity', 'these credentials', () =>
      sts.send(new GetCallerIdentityCommand({})),
    );
    return { detail: `account ${Account}, as ${Arn}`, value: { id: Account, partition: Arn.split(':')[1] ?? 'aws' } };
  });
  if (account === null) return null;
  await check('bootstrap', async () => {
    const version = await parameterValue(ssm, bootstrapParameter);
    const command = `npx cdk bootstrap -c stack=results aws://${account.id}/${region}`;
    if (version === null)
      throw new UserError(`${region} of account ${account.id} is not bootstrapped. Run once: ${command}`);
    if (!(Number(version) >= oldestBootstrap)) {
      throw new UserError(
        `cdk bootstrap has version ${version} there, but ${oldestBootstrap} or newer is needed. Run: ${command}`,
      );
    }
    return { detail: `version ${version}`, value: true };
  });
  await check('results-stack', async () => {
    const bucket = await parameterValue(ssm, resultsBucketParameterName);
    if (bucket === null) {
      throw new UserError(`No results bucket in ${region}. Run once: npx cdk deploy -c stack=results`);
    }
    return { detail: `s3://${bucket}`, value: true };
  });
  const hasDeployed = await check('existing-deploy', async () => {
    const binding = await parameterValue(ssm, bindingParameterName(deploy.experiment, deploy.owner));
    return { detail: binding === null ? 'no' : `yes: a deploy would update it`, value: binding !== null };
  });
  return { ...account, region, hasDeployed: hasDeployed ?? false };
}

/**
 * Finds out whether the bucket that `cdk bootstrap` made is encrypted with a key of the account. If the bootstrap made
 * that key, everybody in the account may use it through S3. For another key, the driver needs permission.
 *
 * @throws {AwsCallError}
 */
export async function findBootstrapKey(s3: S3Client, account: Account): Promise<Found<true>> {
  const bucket = `cdk-hnb659fds-assets-${account.id}-${account.region}`;
  const arn = await keyOf(s3, bucket, account);
  if (arn === undefined) return { detail: 'encrypted with an S3-managed key', value: true };
  return {
    detail: 'encrypted with a key of this account',
    value: true,
    notes: [
      `${bucket} is encrypted with a key of this account. Unless cdk bootstrap made that key, the driver may use it only if you deploy with: -c assetKey=${arn}`,
    ],
  };
}

/**
 * ARN of the key that encrypts a bucket; undefined if it is a key of S3.
 *
 * @throws {AwsCallError}
 */
export async function keyOf(
  s3: S3Client,
  bucket: string,
  { id, partition, region }: Pick<Account, 'id' | 'partition' | 'region'>,
): Promise<string | undefined> {
  try {
    const { ServerSideEncryptionConfiguration } = await callAws('s3:GetEncryptionConfiguration', bucket, () =>
      s3.send(new GetBucketEncryptionCommand({ Bucket: bucket, ExpectedBucketOwner: id })),
    );
    const key = ServerSideEncryptionConfiguration?.Rules?.flatMap(
      ({ ApplyServerSideEncryptionByDefault: by }) => by?.KMSMasterKeyID ?? [],
    ).at(0);
    if (key === undefined || key.endsWith('alias/aws/s3')) return undefined;
    return key.startsWith('arn:') ? key : `arn:${partition}:kms:${region}:${id}:key/${key}`;
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'ServerSideEncryptionConfigurationNotFoundError')
      return undefined;
    throw error;
  }
}
