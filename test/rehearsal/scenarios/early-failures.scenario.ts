import { mkdirSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Binding } from '../../../runner/rds/contract/binding.ts';
import type { RunStatus } from '../../../runner/contract/status.ts';
import { bootSeconds } from '../../../runner/rds/contract/waiting-times.ts';
import { deploymentPerTest } from '../account/deployment-per-test.ts';
import type { DeploymentOptions } from '../account/deployment.ts';
import { statusOf } from '../account/results-in-bucket.ts';

const experiment = 'test/rehearsal/experiments/endings.yaml';
const { account, started, left } = deploymentPerTest({ experiment, profile: 'full', owner: 'erin' });

/** What `cdk deploy` shows of a deploy that fails and leaves nothing that bills. */
async function failing(options: Partial<DeploymentOptions>): Promise<{ shown: string; binding: Binding }> {
  const { deployed, binding } = await started(options);
  const { exitCode, stdout, stderr } = await deployed;
  const shown = `${stdout}${stderr}`;
  expect(exitCode, shown).toBe(1);
  expect(shown).toMatch(/ROLLBACK_COMPLETE/);
  const billed = (await left()).filter((line) => /^(rds (instance|cluster) |ec2 (instance|volume) )/.test(line));
  expect(billed).toEqual([]);
  return { shown, binding };
}

const killEveryStart = `
  folder=/etc/systemd/system/pgduet.service.d
  mkdir -p $folder
  printf '%s\\n' '[Service]' ExecStart= 'ExecStart=/bin/sh -c "kill -KILL $$$$"' RestartSec=0.1 >$folder/z.conf
  systemctl daemon-reload
`;

/** Events of the stack about its databases. */
const databaseEvents = /\| AWS::RDS::DB(Instance|Cluster) +\|/;

describe('a deploy that fails before there are databases', () => {
  it('is given up after its time where the driver never speaks', async () => {
    const { shown } = await failing({
      boots: false,
      beforeBoot: () => account().control('pass-time', { minutes: bootSeconds / 60 }),
    });
    expect(shown).toContain('WaitCondition timed out. Received 0 conditions when expecting 1');
    expect(shown).not.toMatch(databaseEvents);
  });

  it('ends at once where the driver finds no packages', async () => {
    const packages = mkdtempSync(path.join(account().folder, 'no-packages-'));
    mkdirSync(packages, { recursive: true });
    const { shown } = await failing({ packages, hurried: 'user-data' });
    expect(shown).toContain("While installing packages: Error: Failed to download metadata for repo 'amazonlinux'");
    expect(shown).not.toMatch(databaseEvents);
  });

  it('ends at once where HammerDB cannot be downloaded, and says what the driver has cost until then', async () => {
    const tprocc = 'dlv-tprocc-multi-az';
    const { shown, binding } = await failing({ experiment: tprocc, profile: 'smoke', hurried: 'driver' });
    expect(shown).toContain('While checking what needs no database: Could not download HammerDB from https://');
    expect(shown).not.toMatch(databaseEvents);
    const status = await statusOf(account(), binding);
    expect(status).toMatchObject({ state: 'refused' });
    // The driver, its disk and its address.
    expect(status?.dollarsPerHour).toBeLessThan(5);
    const watched = await account().pgduet(['watch', `s3://${binding.results.bucket}/${binding.results.prefix}`]);
    expect(watched.exitCode).toBe(1);
    expect(`${watched.stdout}${watched.stderr}`).toMatch(/\$0\.\d\d/);
  });
});

describe('a deploy that fails when there are databases', () => {
  it('deletes the first where the zone has no room for the second, and names it', async () => {
    await account().control('no-capacity', { identifier: 'frank-endings-with-dlv' });
    const { shown } = await failing({ owner: 'frank', hurried: 'driver' });
    expect(shown).toMatch(/with-?dlv.*isn't available in the specified Availability Zone/i);
    expect(shown).toMatch(databaseEvents);
  });

  it('ends within minutes where RDS finds out later that the zone has no room, and names the status', async () => {
    await account().control('later-status', {
      identifier: 'heidi-endings-with-dlv',
      status: 'insufficient-capacity',
    });
    const { shown } = await failing({ owner: 'heidi', hurried: 'driver' });
    expect(shown).toContain(
      'While waiting for the databases: Variant with-dlv (heidi-endings-with-dlv) is insufficient-capacity',
    );
    expect(shown).toMatch(/CREATE_FAILED.*with-?dlv.*Resource creation cancelled/i);
  });

  it('is told at once where the driver restarts before it has begun, and nothing is measured', async () => {
    const { shown } = await failing({
      owner: 'grace',
      hurried: 'driver',
      beforePreflight: async (_, machine) => {
        await machine.powerOff();
        await machine.boot();
        expect((await machine.run('systemctl', 'is-enabled', 'pgduet.service')).stdout).toBe('disabled\n');
      },
    });
    expect(shown).toContain('While waiting for the databases: the driver was shut down or restarted.');
  });

  it('deletes its stack where every start of its runner ends before the first status', async () => {
    const { deployed, binding } = await started({
      hurried: 'driver',
      beforePreflight: (_, machine) => machine.run('sh', '-c', killEveryStart),
    });
    expect((await deployed).exitCode).toBe(0);
    const status = (): Promise<RunStatus | null> => statusOf(account(), binding);
    await expect.poll(async () => (await status())?.deleteAfter, { timeout: 200_000 }).toEqual(expect.any(String));
    expect(await status()).toMatchObject({
      state: 'refused',
      run: null,
      problems: [expect.stringContaining('The driver gave up restarting the runner') as string],
    });
    const watched = await account().pgduet(['watch', `s3://${binding.results.bucket}/${binding.results.prefix}`]);
    expect(`${watched.stdout}${watched.stderr}`).toMatch(/\$\d+\.\d\d/);
    await account().control('fire-schedules', {});
    await expect.poll(left, { timeout: 300_000 }).toEqual([]);
  });
});
