import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import type { Result } from '../../../runner/contract/result.ts';
import { Gate, type GateState } from '../../faults/deployed/gate.ts';
import { type Account, emulatorPort } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, type DeploymentOptions, remove } from '../account/deployment.ts';
import { statusOf } from '../account/results-in-bucket.ts';

const options = {
  experiment: 'test/rehearsal/experiments/endings.yaml',
  profile: 'full',
  owner: 'erin',
  synthesizedOnce: true,
} satisfies DeploymentOptions;
const trials = 2 * 2;
/** What uploads that fail may take from a run in all. */
const maxLostSeconds = 60;

let account: Account;
/** Between the driver and S3; everybody else reaches S3 without it. */
let s3: Gate;
let deployment: Deployment | null = null;
beforeAll(async () => {
  account = await openBootstrappedAccount();
  s3 = await Gate.before(emulatorPort);
});
afterEach(async () => {
  s3.set('open');
  if (deployment) await remove(account, deployment, options);
  deployment = null;
});
afterAll(async () => {
  s3.close();
  await account.close();
});

/** Deploys, and disturbs S3 as soon as the run has begun, before it loads anything. */
async function runningWith(state: GateState): Promise<Deployment> {
  const endpoints = { AWS_ENDPOINT_URL_S3: `http://localhost:${s3.port}` };
  deployment = await deploy(account, { ...options, endpoints });
  expect((await deployment.deployed).exitCode).toBe(0);
  const { binding } = deployment;
  await expect.poll(() => statusOf(account, binding), { timeout: 300_000, interval: 50 }).not.toBeNull();
  s3.set(state);
  return deployment;
}

/** What the runner has said so far, without the line breaks that fit it to a terminal. */
async function printed({ machine }: Deployment): Promise<string> {
  const { stdout } = await machine.run('journalctl', '--no-pager', '--output', 'cat', '--unit', 'pgduet');
  return stdout.replaceAll(/\s+/g, ' ');
}

async function untilMeasured(running: Deployment): Promise<void> {
  await expect.poll(() => printed(running), { timeout: 400_000, interval: 1000 }).toContain('pgduet keeps retrying');
}

async function savedResult({ binding }: Deployment): Promise<Result> {
  const saved = async () => (await statusOf(account, binding))?.saved ?? null;
  await expect.poll(saved, { timeout: 600_000, interval: 1000 }).not.toBeNull();
  expect(await statusOf(account, binding)).toMatchObject({ state: 'finished' });
  const { result } = await openAddress(
    bucketReader(account.s3),
    `s3://${binding.results.bucket}/${binding.results.prefix}`,
  );
  return result;
}

/** Seconds of a run in which it carried out neither a step nor a trial. */
function idleSeconds({ startedAt, steps, trials }: Result): number {
  const seconds = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 1000;
  const busy = [...steps, ...trials].reduce((sum, one) => sum + seconds(one.startedAt, one.endedAt), 0);
  const last =
    trials
      .map(({ endedAt }) => endedAt)
      .sort()
      .at(-1) ?? startedAt;
  return seconds(startedAt, last) - busy;
}

it.each<GateState>(['held', 'dripping'])(
  'a run measures to its end while the way to S3 is %s, at most a minute later, and saves everything when S3 answers again',
  async (state) => {
    const running = await runningWith(state);
    await untilMeasured(running);
    expect(s3.met).toBeGreaterThan(0);
    // A status may have arrived, where only the answer to it did not.
    expect(await statusOf(account, running.binding)).toMatchObject({ saved: null });
    s3.set('open');
    const result = await savedResult(running);
    expect(result.complete).toBe(true);
    expect(result.trials.filter(({ state }) => state === 'finished')).toHaveLength(trials);
    expect(idleSeconds(result)).toBeLessThan(maxLostSeconds);
    const { problems = [] } = (await statusOf(account, running.binding)) ?? {};
    expect(problems.filter((text) => text.includes('pgduet will retry'))).toHaveLength(1);
  },
);

it('a stop of the unit ends the runner within seconds while S3 is silent, and the next start goes on and saves', async () => {
  const running = await runningWith('held');
  const { machine } = running;
  await expect.poll(() => printed(running), { timeout: 300_000, interval: 200 }).toContain('pgduet will retry');
  const startedAt = performance.now();
  await machine.run('systemctl', 'stop', 'pgduet');
  expect((performance.now() - startedAt) / 1000).toBeLessThan(30);
  s3.set('open');
  await machine.run('systemctl', 'start', '--no-block', 'pgduet');
  expect(await savedResult(running)).toMatchObject({ complete: true });
});

it('a driver that loses its power while it uploads saves everything after its next boot, and measures nothing twice', async () => {
  const running = await runningWith('held');
  await untilMeasured(running);
  await running.machine.crash();
  s3.set('open');
  await running.machine.boot();
  const result = await savedResult(running);
  expect(result.complete).toBe(true);
  expect(result.trials).toHaveLength(trials);
});
