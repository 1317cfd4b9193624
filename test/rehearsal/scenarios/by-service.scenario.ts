import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DescribeDBInstancesCommand } from '@aws-sdk/client-rds';
import { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { boundServers } from '../../../runner/rds/contract/binding.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, remove } from '../account/deployment.ts';
import { statusOf } from '../account/results-in-bucket.ts';

/** The driver of one stack measures the servers of another one, by services of libpq, with the permissions that it has anyway. */
const optionsOf = (owner: 'ivy' | 'jo') =>
  ({
    experiment: 'test/rehearsal/experiments/log-volume.yaml',
    profile: 'short',
    owner,
    // Two processes cannot synthesize into one folder.
    synthesizedOnce: true,
  }) as const;

let account: Account;
let ivy: Deployment;
let jo: Deployment;
beforeAll(async () => {
  account = await openBootstrappedAccount();
  [ivy, jo] = await Promise.all([deploy(account, optionsOf('ivy')), deploy(account, optionsOf('jo'))]);
});
afterAll(async () => {
  await remove(account, ivy, optionsOf('ivy'));
  await remove(account, jo, optionsOf('jo'));
  await account.close();
});

const folder = '/var/lib/pgduet/by-service';
const workload = { tool: 'pgbench', scale: 1, clients: 2, threads: 1, durationSeconds: 3, rate: 40 };
const services = ['one', 'two'] as const;
const experiment = {
  name: 'by-service',
  question: 'Are the servers of the other stack alike?',
  variants: Object.fromEntries(services.map((service) => [service, { server: { service } }])),
  baseline: 'one',
  workload,
  protocol: { blocks: 1, warmUpSeconds: 0 },
};

/** Runs a script on the driver, as the user of its runs. */
async function onDriver(script: string): Promise<string> {
  const { exitCode, stdout, stderr } = await jo.machine.run('runuser', '-u', 'pgduet', '--', 'sh', '-euc', script);
  expect(exitCode, `${stdout}${stderr}`).toBe(0);
  return stdout;
}

it('both stacks measure their own servers', async () => {
  for (const { deployed, binding } of [ivy, jo]) {
    expect((await deployed).exitCode).toBe(0);
    const state = async (): Promise<string | undefined> => (await statusOf(account, binding))?.state;
    await expect.poll(state, { timeout: 400_000, interval: 500 }).toBe('finished');
  }
});

it('servers of another stack are measured from a driver, by TLS that is verified, and are then as they were', async () => {
  const before = await account.control<string[]>('inventory');
  const { SecretString = '' } = await account.secrets.send(
    new GetSecretValueCommand({ SecretId: ivy.binding.secretArn }),
  );
  const { username, password } = JSON.parse(SecretString) as { username: string; password: string };
  const { DBInstances = [] } = await account.rds.send(new DescribeDBInstancesCommand({}));
  const endpoints = [...boundServers(ivy.binding).values()].map(
    ({ identifier }) =>
      DBInstances.find(({ DBInstanceIdentifier }) => DBInstanceIdentifier === identifier)?.Endpoint ?? {},
  );
  const service = services.map(
    (name, index) =>
      `[${name}]\nhost=${endpoints[index]?.Address}\nport=${endpoints[index]?.Port}\nuser=${username}\ndbname=postgres\nsslmode=verify-full\nsslrootcert=/opt/pgduet/runner/rds-ca.pem\n`,
  );
  const files = {
    '.pg_service.conf': service.join('\n'),
    '.pgpass': `*:*:*:${username}:${password}\n`,
    'experiments/by-service.yaml': stringify(experiment),
  };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(jo.machine.root, folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
  }
  await jo.machine.run('chown', '-R', 'pgduet:', folder);
  const here = `cd ${folder}; export HOME=${folder}`;
  await onDriver(`${here}; pgduet load-run by-service --allow-activity`);
  const text = readFileSync(path.join(jo.machine.root, folder, 'results/by-service/latest/result.json'), 'utf8');
  const { place, trials } = JSON.parse(text) as Result;
  expect(place).toMatchObject({ kind: 'existing', description: expect.stringContaining('Amazon RDS') as string });
  expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
  expect(text).not.toContain(password);
  const databases = "SELECT datname FROM pg_database WHERE datname LIKE 'pgduet_by%'";
  for (const name of services) expect(await onDriver(`${here}; psql service=${name} -Atc "${databases}"`)).toBe('');
  expect(await account.control<string[]>('inventory')).toEqual(before);
});
