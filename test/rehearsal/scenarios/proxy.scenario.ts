import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, remove } from '../account/deployment.ts';
import { statusOf } from '../account/results-in-bucket.ts';

/** One variant stands behind an RDS Proxy, the other does not. */
const options = { experiment: 'test/rehearsal/experiments/proxy.yaml', profile: 'full', owner: 'kim' } as const;

let account: Account;
let deployment: Deployment;
let before: string[];
beforeAll(async () => {
  account = await openBootstrappedAccount();
  before = await inventory();
  deployment = await deploy(account, options);
});
afterAll(() => account.close());

/** What the account holds, without assets and results. */
async function inventory(): Promise<string[]> {
  return (await account.control<string[]>('inventory')).filter((line) => !line.startsWith('s3 object '));
}

it('the load of its variant goes through the proxy, by TLS that is verified, and no other load does', async () => {
  const { exitCode, stderr } = await deployment.deployed;
  expect(exitCode, stderr).toBe(0);
  const state = async (): Promise<string | undefined> => (await statusOf(account, deployment.binding))?.state;
  await expect.poll(state, { timeout: 300_000, interval: 500 }).toBe('finished');
  const { bucket, prefix } = deployment.binding.results;
  const { result } = await openAddress(bucketReader(account.s3), `s3://${bucket}/${prefix}`);
  expect(result.trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
  expect([...deployment.servers.proxies.keys()]).toEqual(['proxy']);
  const log = readFileSync(deployment.servers.proxies.get('proxy')?.log ?? '', 'utf8');
  expect(log).toMatch(/pgduet\/\S+@\S+ login attempt: db=\S+ user=pgduet tls=TLSv1\.3/);
  expect(log).toMatch(/new connection to server .*/);
});

it('is destroyed with its stack', async () => {
  const destroyed = await remove(account, deployment, options);
  expect(destroyed.exitCode, destroyed.stderr).toBe(0);
  expect(await inventory()).toEqual(before);
});
