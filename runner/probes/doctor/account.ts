import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { AwsCallError, callAws } from '../../aws/call.ts';
import { bindingParameterName, resultsBucketParameterName } from '../../contract/binding.ts';
import { UserError } from '../../contract/errors.ts';
import type { Checker } from '../probe.ts';
import type { DoctorClients } from './aws-clients.ts';

/** Parameter in which `cdk bootstrap` leaves its version, unless it was given another qualifier. */
const bootstrapParameter = '/cdk-bootstrap/hnb659fds/version';
/** Oldest bootstrap version that templates of CDK's default synthesizer accept. */
const oldestBootstrap = 6;

/** The account and the Region of the credentials. */
export interface Account {
  /** Twelve digits. */
  id: string;
  /** Of its ARNs, such as `aws`. */
  partition: string;
  region: string;
  /** Whether this experiment of this owner is deployed there. Then it has already what it would need. */
  hasDeployed: boolean;
}

/**
 * Checks credentials, `cdk bootstrap` and the results stack.
 *
 * @returns null if nothing further can be asked
 */
export async function checkAccount(
  { check }: Checker,
  { sts, ssm }: DoctorClients,
  deploy: { experiment: string; owner: string },
): Promise<Account | null> {
  const region = await check('Region', async () => {
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
  await check('cdk bootstrap', async () => {
    const version = await parameterOf(ssm, bootstrapParameter);
    const command = `npx cdk bootstrap -c stack=results aws://${account.id}/${region}`;
    if (version === null)
      throw new UserError(`${region} of account ${account.id} is not bootstrapped. Once: ${command}`);
    if (!(Number(version) >= oldestBootstrap)) {
      throw new UserError(`cdk bootstrap has version ${version} there; ${oldestBootstrap} is needed: ${command}`);
    }
    return { detail: `version ${version}`, value: true };
  });
  await check('results stack', async () => {
    const bucket = await parameterOf(ssm, resultsBucketParameterName);
    if (bucket === null) {
      throw new UserError(`There is no bucket for the results in ${region}. Once: npx cdk deploy -c stack=results`);
    }
    return { detail: `s3://${bucket}`, value: true };
  });
  const hasDeployed = await check('deployed already', async () => {
    const binding = await parameterOf(ssm, bindingParameterName(deploy.experiment, deploy.owner));
    return { detail: binding === null ? 'no' : `yes: a deploy would update it`, value: binding !== null };
  });
  return { ...account, region, hasDeployed: hasDeployed ?? false };
}

/** Value of an SSM parameter; null if there is no such parameter. */
async function parameterOf(ssm: SSMClient, name: string): Promise<string | null> {
  try {
    const { Parameter } = await callAws('ssm:GetParameter', name, () =>
      ssm.send(new GetParameterCommand({ Name: name })),
    );
    return Parameter?.Value ?? '';
  } catch (error) {
    if (error instanceof AwsCallError && error.code === 'ParameterNotFound') return null;
    throw error;
  }
}
