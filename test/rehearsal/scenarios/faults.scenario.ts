import { describe, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { boundServers } from '../../../runner/rds/contract/binding.ts';
import type { RunStatus } from '../../../runner/contract/status.ts';
import { deploymentPerTest } from '../account/deployment-per-test.ts';
import type { Deployment, DeploymentOptions } from '../account/deployment.ts';
import { withoutPermission } from '../account/driver-policy.ts';
import { objectsOf } from '../account/results-in-bucket.ts';

const experiment = 'test/rehearsal/experiments/log-volume.yaml';
const { account, started, running, status } = deploymentPerTest({ experiment, profile: 'full', owner: 'bob' });

describe('a deploy fails within minutes, with the reason in the events of the stack', () => {
  async function failing(options: Partial<DeploymentOptions>): Promise<string> {
    const { deployed } = await started(options);
    const { exitCode, stdout, stderr } = await deployed;
    expect(exitCode).toBe(1);
    const shown = `${stdout}${stderr}`;
    expect(shown).toMatch(/While (checking what needs no database|running the pre-flight)/);
    expect(shown).toMatch(/ROLLBACK_COMPLETE/);
    return shown;
  }

  it('where an instance has no dedicated log volume', async () => {
    const shown = await failing({
      beforePreflight: async (binding) => {
        const identifier = boundServers(binding).get('with-dlv')?.identifier;
        await account().control('database', { identifier, set: { dedicated_log_volume: false } });
      },
    });
    expect(shown).toMatch(/Variant with-dlv \(bob-log-volume-with-dlv\) has no dedicated log volume/);
  });

  it('where an instance never becomes available', async () => {
    const shown = await failing({
      hurried: 'long waits',
      beforePreflight: async (binding) => {
        const identifier = boundServers(binding).get('without-dlv')?.identifier;
        await account().control('database', { identifier, set: { status: 'modifying' } });
      },
    });
    // The command line of the CDK breaks long reasons into lines.
    expect(shown.replaceAll(/\s+/g, ' ')).toContain('was still not ready after 90 minutes: modifying');
  });

  it('where a certificate comes from another authority', async () => {
    const shown = await failing({ otherAuthorityFor: 'with-dlv' });
    expect(shown).toMatch(/certificate/);
  });

  it('where the password cannot be read', async () => {
    const shown = await failing({
      beforeBoot: () => withoutPermission(account(), 'secretsmanager:GetSecretValue'),
    });
    expect(shown).toMatch(/secretsmanager:GetSecretValue of arn:\S+ was denied/);
  });

  it('where the bucket cannot be written to, and then the log is on the driver', async () => {
    const shown = await failing({ beforeBoot: () => withoutPermission(account(), 's3:PutObject') });
    expect(shown).toMatch(/s3:PutObject of s3:\S+ was denied/);
    expect(shown).toContain('Log: /var/log/pgduet/boot.log on the driver');
  });
});

describe('a run that has begun', () => {
  /** Until this trial is measured, or a later one: on a busy machine the run may be further by the time that it is seen. */
  const untilTrial = async (number: number): Promise<void> => {
    const isMeasured = ({ current }: RunStatus): boolean =>
      current?.stage === 'measure' && (current.trialNumber ?? 0) >= number;
    await expect
      .poll(status, { timeout: 300_000 })
      .toSatisfy((now: RunStatus | null) => now !== null && (now.state !== 'running' || isMeasured(now)));
    expect(await status()).toMatchObject({ state: 'running' });
  };
  const untilEnded = (): Promise<void> =>
    expect.poll(async () => (await status())?.state, { timeout: 400_000 }).not.toBe('running');

  it('goes on after the driver has lost its power in mid-trial, with what was measured before', async () => {
    const { machine, binding } = await running();
    await untilTrial(2);
    const first = (await status())?.trials[0];
    await machine.crash();
    expect(await status()).toMatchObject({ state: 'running' });
    await machine.boot();
    await untilEnded();
    expect(await status()).toMatchObject({ state: 'finished', problems: [] });
    const { result } = await openAddress(bucketReader(account().s3), address(binding));
    expect(result.complete).toBe(true);
    expect(result.trials.filter(({ state }) => state === 'finished')).toHaveLength(4);
    expect((await status())?.trials[0]).toEqual(first);
    const logs = (await objectsOf(account(), binding)).filter((name) => name.includes('/transactions/'));
    expect(logs).toHaveLength(4);
  });

  it('goes on while the credentials of its role expire again and again, with those that take their place', async () => {
    const lastFor = (lifetimeSeconds: number) => account().control('credentials', { lifetimeSeconds });
    try {
      const { instanceId } = await running({ beforeBoot: () => lastFor(20) });
      await untilTrial(1);
      const begun = account().requests().length;
      await untilEnded();
      expect(await status()).toMatchObject({ state: 'finished', problems: [] });
      const driverRequests = account()
        .requests()
        .slice(begun)
        .filter(({ principal }) => principal.endsWith(instanceId));
      expect(new Set(driverRequests.map(({ keyId }) => keyId)).size).toBeGreaterThan(5);
    } finally {
      await lastFor(21_600);
    }
  });

  it('counts the trial in which a database was restarted as a loss of its side, and does not measure it again', async () => {
    const { servers, binding } = await running({ profile: 'one-block' });
    await untilTrial(2);
    const variant = (await status())?.current?.conditions?.variant ?? '';
    const { identifier } = boundServers(binding).get(variant) ?? {};
    await servers.databases.get(variant)?.restart('fast');
    await account().control('event', { identifier, id: 'RDS-EVENT-0006' });
    await untilEnded();
    const { result } = await openAddress(bucketReader(account().s3), address(binding));
    const failed = result.trials.filter(({ state }) => state === 'failed');
    expect(failed).toHaveLength(1);
    expect(failed[0]).toMatchObject({
      conditions: { variant },
      failure: { error: expect.stringMatching(/terminat|connection|aborted/i) as string },
    });
    expect(result.trials.map(({ attempt }) => attempt)).toEqual([1, 1]);
    expect(result.complete).toBe(false);
    const side = result.experiment.baseline === variant ? 'baseline' : 'candidate';
    expect(result.comparisons.find(({ primary }) => primary)?.losses?.[side]).toEqual({ lost: 1, of: 1 });
    expect((await status())?.state).toBe('failed');
    const watched = await account().pgduet(['watch', experiment, '--owner', 'bob']);
    expect(`${watched.stdout}${watched.stderr}`).toContain('failed');
  });

  it('is ended by the expiry after its time and not before, and keeps what was measured', async () => {
    const { binding } = await running();
    await untilTrial(2);
    const early = await account().control<object[]>('fire-schedules', {});
    expect(early).toEqual([expect.objectContaining({ status: 'SUCCEEDED' })]);
    expect(await status()).toMatchObject({ state: 'running' });

    await account().control('pass-time', { minutes: 25 * 60 });
    await account().control('fire-schedules', {});
    await untilEnded();
    expect(await status()).toMatchObject({ state: 'interrupted' });
    const names = await objectsOf(account(), binding);
    expect(names.filter((name) => name.endsWith('/trial.json')).length).toBeGreaterThanOrEqual(1);
    const { result } = await openAddress(bucketReader(account().s3), address(binding));
    expect(result).toMatchObject({ complete: false });
    expect(result.trials[0]).toMatchObject({ state: 'finished' });
    await expect
      .poll(async () =>
        (await account().control<string[]>('inventory')).filter(
          (line) => line.includes('bob') && !line.startsWith('s3 object '),
        ),
      )
      .toEqual([]);
  });
});

function address({ results }: Deployment['binding']): string {
  return `s3://${results.bucket}/${results.prefix}`;
}
