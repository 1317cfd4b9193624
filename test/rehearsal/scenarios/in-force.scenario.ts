import { describe, expect, it, vi } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { boundServers } from '../../../runner/rds/contract/binding.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { RunStatus } from '../../../runner/contract/status.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { expectDurations } from '../../../runner/experiment/plan/durations.ts';
import { overtimeSeconds } from '../../../runner/run/time-limit.ts';
import { deploymentPerTest } from '../account/deployment-per-test.ts';
import type { Deployment } from '../account/deployment.ts';
import { letParametersWait } from '../account/pending-reboot.ts';
import { objectText, statusOf } from '../account/results-in-bucket.ts';

const experiment = 'test/rehearsal/experiments/log-volume.yaml';
const profile = 'slower';
const planned = loadExperiment(experiment, { folder: '.', profile }).experiment;
const warmUpSeconds = planned.protocol.warmUpSeconds;
/** Of the experiment's only level of load. */
const trialSeconds = expectDurations(planned).trialSeconds({}) ?? 0;
const { account, started } = deploymentPerTest({ experiment, profile, owner: 'dora' });

describe('what an experiment declares', () => {
  it('fails the deploy where it is not in force, with name, asked and found value', async () => {
    const { deployed } = await started({ otherSettings: { 'with-dlv': { wal_buffers: '128' } } });
    const { exitCode, stdout, stderr } = await deployed;
    expect(exitCode).toBe(1);
    expect(`${stdout}${stderr}`).toContain('with-dlv: parameter wal_buffers is 128 (8kB), but should be 512');
  });
});

describe('a run whose parameter groups wait for a reboot', () => {
  let result: Result;
  let deployment: Deployment;
  const status = (): Promise<RunStatus | null> => statusOf(account(), deployment.binding);
  /** Which server pgbench puts load on, by the length of the stage; null if on none at this moment. */
  const underLoad = async (seconds: number): Promise<string | null> => {
    const { stdout } = await deployment.machine.run('ps', 'axww', '-o', 'args');
    const [, host = ''] = new RegExp(`pgbench .*--time=${seconds} .*host='([^.']+)`).exec(stdout) ?? [];
    return [...boundServers(deployment.binding)].find(([, { identifier }]) => identifier === host)?.[0] ?? null;
  };
  const untilLoad = (seconds: number, isWanted: (server: string) => boolean = () => true): Promise<string> =>
    vi.waitFor(
      async () => {
        const server = await underLoad(seconds);
        if (server === null || !isWanted(server)) throw new Error(`no load of ${seconds} s yet`);
        return server;
      },
      { timeout: 300_000, interval: 100 },
    );
  const tell = (variant: string, id: string): Promise<unknown> => {
    const identifier = boundServers(deployment.binding).get(variant)?.identifier;
    return account().control('event', { identifier, id });
  };

  it('reboots each database once, says so, finds a backup in a warm-up, and ends a trial whose host is gone', async () => {
    deployment = await started({ beforePreflight: (binding) => letParametersWait(account(), binding) });
    expect((await deployment.deployed).exitCode).toBe(0);
    const outcomes = await objectText(account(), deployment.binding, 'driver/preflight.json');
    for (const variant of ['with-dlv', 'without-dlv']) {
      expect(outcomes).toContain(`"variant ${variant}"`);
      const { identifier } = boundServers(deployment.binding).get(variant) ?? {};
      const reboots = account()
        .requests()
        .filter(({ action }) => action === 'rds:RebootDBInstance');
      expect(reboots.filter(({ resource }) => resource.endsWith(identifier ?? '?'))).toHaveLength(1);
    }
    expect(outcomes.match(/was rebooted once, because its parameter group required it/g)).toHaveLength(2);

    const first = await untilLoad(warmUpSeconds);
    await tell(first, 'RDS-EVENT-0001');
    await untilLoad(warmUpSeconds, (server) => server !== first);
    await tell(first, 'RDS-EVENT-0002');

    await expect.poll(async () => (await status())?.trials.length, { timeout: 400_000 }).toBe(2);
    const third = await untilLoad(trialSeconds);
    const comeBack = await deployment.servers.databases.get(third)?.disappear();
    await expect.poll(async () => (await status())?.trials.length, { timeout: 400_000 }).toBe(3);
    await comeBack?.();
    await expect.poll(async () => (await status())?.state, { timeout: 400_000 }).not.toBe('running');

    const { results } = deployment.binding;
    ({ result } = await openAddress(bucketReader(account().s3), `s3://${results.bucket}/${results.prefix}`));
    const [backedUp, , vanished] = result.trials;
    expect(backedUp?.facts.events).toContainEqual(expect.objectContaining({ kind: 'backup' }));
    expect(new Date(backedUp?.facts.events?.[0]?.at ?? 0) < new Date(backedUp?.startedAt ?? 0)).toBe(true);
    const primary = result.comparisons.find((comparison) => comparison.primary);
    expect(primary?.verdict).toBeNull();
    expect(primary?.withheld.map(({ message }) => message).join()).toContain('Backing up DB instance');

    expect(vanished).toMatchObject({ state: 'failed', conditions: { variant: third } });
    const due = new Date(vanished?.startedAt ?? 0).getTime() + trialSeconds * 1000;
    const end = new Date(vanished?.endedAt ?? 0).getTime();
    expect((end - due) / 1000).toBeLessThan(overtimeSeconds + 10);
    expect(result.variants.flatMap(({ parameters = [] }) => parameters)).toContainEqual({
      name: 'wal_buffers',
      asked: '512',
      found: '512 (8kB)',
      inForce: true,
      pendingRestart: false,
    });
  });
});
