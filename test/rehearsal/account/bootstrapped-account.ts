import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { resultsBucketParameterName } from '../../../runner/rds/contract/binding.ts';
import { type Account, assetBucket, openAccount, scratch } from './account.ts';
import { makePackages } from '../machine/packages.ts';

/** An account after the steps that are done once: the CDK's bootstrap and the results stack. */
export async function openBootstrappedAccount(): Promise<Account> {
  const account = await openAccount();
  await prepareAccount(account);
  return account;
}

/** @throws if one of the steps fails, with the output of the CDK */
export async function prepareAccount(account: Account): Promise<void> {
  const packages = path.join(scratch, 'packages');
  mkdirSync(packages, { recursive: true });
  await makePackages(packages);
  await demanded(account, 'bootstrap', ['bootstrap', '-c', 'stack=results']);
  await demanded(account, 'deploy-results', ['deploy', '-c', 'stack=results', '--require-approval', 'never']);
  // SDKs put the name of a bucket in front of the endpoint's host name.
  account.addHosts('127.0.0.1', [`${assetBucket}.localhost`, `${await resultsBucket(account)}.localhost`]);
}

async function demanded(account: Account, log: string, args: string[]): Promise<void> {
  const { exitCode, stdout, stderr } = await account.cdk(log, args);
  if (exitCode !== 0)
    throw new Error(`cdk ${args.join(' ')} ended with ${exitCode ?? 'a signal'}:\n${stdout}${stderr}`);
}

export async function resultsBucket({ ssm }: Account): Promise<string> {
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: resultsBucketParameterName }));
  return Parameter?.Value ?? '';
}
