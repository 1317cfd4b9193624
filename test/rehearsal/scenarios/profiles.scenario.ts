import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { bindingParameterName } from '../../../runner/rds/contract/binding.ts';
import type { RunStatus } from '../../../runner/contract/status.ts';
import type { CommandResult } from '../../../runner/process/run-command.ts';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, type DeploymentOptions, remove, stackWords } from '../account/deployment.ts';
import { objectsOf, statusOf } from '../account/results-in-bucket.ts';

const options: DeploymentOptions = {
  experiment: 'test/rehearsal/experiments/log-volume.yaml',
  profile: 'short',
  owner: 'erin',
};
/** The driver looks for a later deploy every minute. */
const patience = { timeout: 400_000, interval: 200 };

let account: Account;
let deployment: Deployment;
beforeAll(async () => {
  account = await openBootstrappedAccount();
  deployment = await deploy(account, options);
  expect((await deployment.deployed).exitCode).toBe(0);
});
afterAll(async () => {
  await remove(account, deployment, options);
  await account.close();
});

const status = (): Promise<RunStatus | null> => statusOf(account, deployment.binding);
const untilStatus = (wanted: object): Promise<void> => expect.poll(status, patience).toMatchObject(wanted);

async function deployOver(profile: string, running?: 'abort'): Promise<CommandResult> {
  const words = await stackWords(account, { ...options, profile, ...(running ? { running } : {}) });
  return account.cdk(`deploy-${profile}`, ['deploy', ...words, '--require-approval', 'never', '--progress', 'events']);
}

/** What the timer does every minute. To wait for it once is enough. */
async function update(): Promise<void> {
  const { exitCode, stderr } = await deployment.machine.run('systemctl', 'start', 'pgduet-update.service');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
}

/** Folders of the runs below the prefix of the deploy, oldest first, each with its objects. */
async function runs(): Promise<Record<string, string[]>> {
  const byRun: Record<string, string[]> = {};
  for (const name of await objectsOf(account, deployment.binding)) {
    const [, run, object] = /^runs\/([^/]+)\/(.*)$/.exec(name) ?? [];
    if (run !== undefined && object !== undefined) (byRun[run] ??= []).push(object);
  }
  return Object.fromEntries(Object.entries(byRun).sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('another profile on a deployed stack', () => {
  it('is measured on the loaded databases when no run goes on, and watch waits for it', async () => {
    await untilStatus({ profile: 'short', state: 'finished' });
    expect((await deployOver('more')).exitCode).toBe(0);
    const { exitCode, stdout, stderr } = await account.pgduet(['watch', options.experiment, '--owner', options.owner]);
    expect(`${stdout}${stderr}`).toContain('trial 6 of 6');
    expect(exitCode).toBe(0);
    expect(await status()).toMatchObject({ profile: 'more', state: 'finished', plannedTrials: 6, problems: [] });
    const [first = [], second = []] = Object.values(await runs());
    expect(first.filter((name) => name.startsWith('load-'))).toHaveLength(2);
    expect(second.filter((name) => name.startsWith('load-'))).toEqual([]);
    expect(second).toContain('report.html');
  });

  it('is refused before anything changes if it needs other data', async () => {
    const parameter = new GetParameterCommand({ Name: bindingParameterName('log-volume', options.owner) });
    const look = async (): Promise<unknown> => [
      await account.control<string[]>('inventory'),
      (await account.ssm.send(parameter)).Parameter?.Value,
    ];
    const withoutAssets = ([inventory, binding]: [string[], string]): unknown => [
      inventory.filter((line) => !line.includes('s3 object cdk-')),
      binding,
    ];
    const before = (await look()) as [string[], string];
    const { exitCode, stdout, stderr } = await deployOver('larger');
    expect(exitCode).toBe(1);
    expect(`${stdout}${stderr}`).toContain(
      'log-volume, profile larger, needs different data than the databases contain',
    );
    expect(`${stdout}${stderr}`).toContain('npx cdk destroy');
    expect(withoutAssets((await look()) as [string[], string])).toEqual(withoutAssets(before));
    expect(await status()).toMatchObject({ profile: 'more', state: 'finished' });
  });

  it('ends a run after its trial if it is told to, and then begins', async () => {
    expect((await deployOver('long')).exitCode).toBe(0);
    await update();
    const trialsOfLong = async (): Promise<number> => {
      const { profile, trials = [] } = (await status()) ?? {};
      return profile === 'long' ? trials.length : 0;
    };
    await expect.poll(trialsOfLong, patience).toBeGreaterThan(0);
    expect((await deployOver('short', 'abort')).exitCode).toBe(0);
    // The timer may begin the next run before anybody has seen the state of this one: what it saved stays.
    const [, , long = ''] = Object.keys(await runs());
    await expect.poll(async () => (await runs())[long], patience).toContain('report.html');
    const { result } = await openAddress(bucketReader(account.s3), `${address()}runs/${long}/`);
    const stopped = (await status()) ?? expect.fail('no status');
    if (stopped.profile === 'long') {
      const problems = ['Another deploy, of profile short, has replaced this run.'];
      expect(stopped).toMatchObject({ state: 'stopped', problems });
    }
    expect(result).toMatchObject({ complete: false, experiment: { profile: 'long' } });
    expect(result.trials.every(({ state }) => state === 'finished')).toBe(true);
    await update();
    await untilStatus({ profile: 'short', state: 'finished', plannedTrials: 2 });
    expect(Object.keys(await runs())).toHaveLength(4);
  });
});

function address(): string {
  return `s3://${deployment.binding.results.bucket}/${deployment.binding.results.prefix}`;
}
