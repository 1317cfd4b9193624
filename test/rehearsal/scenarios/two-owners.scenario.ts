import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { boundServers } from '../../../runner/rds/contract/binding.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, remove } from '../account/deployment.ts';
import { objectsOf, statusOf } from '../account/results-in-bucket.ts';

/** Two people deploy one experiment at the same time, into one account and Region. The steps build on each other. */
const optionsOf = (owner: 'alice' | 'bob') =>
  ({
    experiment: 'test/rehearsal/experiments/log-volume.yaml',
    profile: 'slower',
    owner,
    // Two processes cannot synthesize into one folder.
    synthesizedOnce: true,
  }) as const;

let account: Account;
let inventory: string[];
let alice: Deployment;
let bob: Deployment;

beforeAll(async () => {
  account = await openBootstrappedAccount();
  inventory = await account.control<string[]>('inventory');
  [alice, bob] = await Promise.all([deploy(account, optionsOf('alice')), deploy(account, optionsOf('bob'))]);
});
afterAll(() => account.close());

const addressOf = ({ binding: { results } }: Deployment): string => `s3://${results.bucket}/${results.prefix}`;
const resultOf = async (deployment: Deployment): Promise<Result> =>
  (await openAddress(bucketReader(account.s3), addressOf(deployment))).result;
const identifiers = ({ binding }: Deployment): string[] =>
  [...boundServers(binding)].map(([, { identifier }]) => identifier);

it('each has databases, a driver, results and a binding of their own', async () => {
  for (const { deployed } of [alice, bob]) expect((await deployed).exitCode).toBe(0);
  const [alicesNames, bobsNames] = [alice, bob].map((deployment) => [
    ...identifiers(deployment),
    ...[deployment.binding.stackName, deployment.instanceId, deployment.binding.secretArn, addressOf(deployment)],
  ]);
  expect(new Set([...(alicesNames ?? []), ...(bobsNames ?? [])]).size).toBe(2 * (alicesNames?.length ?? 0));
});

it('a destroy in mid-run keeps what was measured, and takes nothing from the other', async () => {
  const finishedOf = async (deployment: Deployment): Promise<string[]> =>
    ((await statusOf(account, deployment.binding))?.trials ?? [])
      .filter(({ state }) => state === 'finished')
      .map(({ id }) => id);
  await expect.poll(() => finishedOf(alice), { timeout: 400_000, interval: 500 }).not.toEqual([]);
  const before = await finishedOf(alice);
  const instances = [...identifiers(bob), bob.instanceId];
  expect((await remove(account, alice, optionsOf('alice'))).exitCode).toBe(0);
  const left = (await account.control<string[]>('inventory')).join('\n');
  for (const name of instances) expect(left).toContain(name);
  for (const name of [...identifiers(alice), alice.instanceId]) expect(left).not.toContain(name);
  const { trials, complete } = await resultOf(alice);
  expect(complete).toBe(false);
  expect(trials.filter(({ state }) => state === 'finished').map(({ id }) => id)).toEqual(
    expect.arrayContaining(before),
  );
});

it('the other run finishes with all of its trials, and everything of it agrees', async () => {
  const { exitCode } = await account.pgduet(['watch', optionsOf('bob').experiment, '--owner', 'bob']);
  expect(exitCode).toBe(0);
  const { trials, complete } = await resultOf(bob);
  expect(complete).toBe(true);
  expect(trials.map(({ state }) => state)).toEqual(Array.from({ length: 4 }, () => 'finished'));
  const verified = await account.pgduet(['verify', addressOf(bob), '--json']);
  expect(JSON.parse(verified.stdout)).toMatchObject({ agrees: true });
  const names = await objectsOf(account, bob.binding);
  expect(names.filter((name) => name.endsWith('/pgbench.stdout.log'))).toHaveLength(trials.length);
});

it('no driver has asked for anything of the other', () => {
  const others = new Map([
    [alice.instanceId, [...identifiers(bob), `/${bob.binding.results.prefix}`, bob.binding.secretArn]],
    [bob.instanceId, [...identifiers(alice), `/${alice.binding.results.prefix}`, alice.binding.secretArn]],
  ]);
  for (const [instanceId, names] of others) {
    const own = account.requests().filter(({ principal }) => principal.endsWith(instanceId));
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter(({ resource }) => names.some((name) => resource.includes(name)))).toEqual([]);
  }
});

it('when both are destroyed, nothing is left but the results of both', async () => {
  expect((await remove(account, bob, optionsOf('bob'))).exitCode).toBe(0);
  const left = (await account.control<string[]>('inventory')).filter((line) => !inventory.includes(line));
  expect(left.filter((line) => !line.startsWith('s3 object '))).toEqual([]);
  for (const { binding } of [alice, bob]) {
    const own = `s3 object ${binding.results.bucket}/${binding.results.prefix}`;
    expect(left).toContain(`${own}status.json`);
    expect(left.filter((line) => line.startsWith(own) && line.endsWith('/result.json'))).toHaveLength(1);
  }
});
