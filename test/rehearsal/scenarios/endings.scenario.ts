import {
  CreateChangeSetCommand,
  DescribeStacksCommand,
  ExecuteChangeSetCommand,
  GetTemplateCommand,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { GetParameterCommand, PutParameterCommand } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import { type Binding, bindingParameterName } from '../../../runner/rds/contract/binding.ts';
import { deletionName } from '../../../runner/rds/contract/deletion.ts';
import { deploymentPerTest } from '../account/deployment-per-test.ts';
import { setDriverPolicy, withoutPermission } from '../account/driver-policy.ts';
import { statusOf } from '../account/results-in-bucket.ts';
import type { Machine } from '../machine/machine.ts';

const experiment = 'test/rehearsal/experiments/endings.yaml';
const { account, started, running, status, left } = deploymentPerTest({ experiment, profile: 'full', owner: 'dora' });

const untilSaved = (): Promise<void> =>
  expect.poll(async () => (await status())?.saved ?? null, { timeout: 400_000 }).not.toBeNull();

/** Looks once, as the schedule does every five minutes. */
async function look(): Promise<void> {
  expect(await account().control<object[]>('fire-schedules', {})).toEqual([
    expect.objectContaining({ status: 'SUCCEEDED' }),
  ]);
}

async function deletesItself(): Promise<void> {
  const earlier = account().requests().length;
  await look();
  await expect.poll(left, { timeout: 300_000 }).toEqual([]);
  const since = account().requests().slice(earlier);
  expect(since).toContainEqual(expect.objectContaining({ action: 'sns:Publish', allowed: true }));
}

describe('a stack deletes itself, and leaves nothing but results', () => {
  it('after the end of its run, once everything was late to arrive in S3, and not before', async () => {
    const { machine, binding } = await running();
    await look();
    await expect.poll(async () => (await status())?.trials ?? [], { timeout: 300_000 }).not.toEqual([]);
    const policy = await withoutPermission(account(), 's3:PutObject');
    await expect.poll(() => printed(machine), { timeout: 300_000, interval: 1000 }).toContain('pgduet keeps retrying');
    await look();
    expect(await status()).toMatchObject({ state: 'running' });
    expect(await left()).not.toEqual([]);

    await setDriverPolicy(account(), policy);
    await untilSaved();
    expect(await status()).toMatchObject({ state: 'finished', deleteAfter: expect.any(String) as string });
    expect((await status())?.problems).toContainEqual(expect.stringContaining('Not all of the results are in S3'));
    const { result } = await openAddress(
      bucketReader(account().s3),
      `s3://${binding.results.bucket}/${binding.results.prefix}`,
    );
    expect(result.complete).toBe(true);
    const watched = await account().pgduet(['watch', experiment, '--owner', 'dora']);
    expect(watched.stdout).toMatch(/The stack (deletes|has been deleting) itself/);
    expect(watched.exitCode).toBe(0);
    await deletesItself();
  });

  it('after a run whose trials failed, and its unit leaves it at that', async () => {
    const { machine } = await running({ profile: 'failing' });
    await untilSaved();
    expect(await status()).toMatchObject({ state: 'failed' });
    await expect
      .poll(async () => (await machine.run('systemctl', 'show', 'pgduet.service')).stdout, { timeout: 30_000 })
      .toMatch(/^ExecMainStatus=1$/m);
    const { stdout } = await machine.run('systemctl', 'show', '--property=NRestarts,ActiveState', 'pgduet.service');
    expect(stdout).toMatch(/NRestarts=0/);
    expect(stdout).toMatch(/ActiveState=failed/);
    await deletesItself();
  });

  it('after an update that hung was cancelled: for a quarter of an hour it waits, and sends no message', async () => {
    const { binding } = await running();
    await untilSaved();
    await updateForEver(binding);
    const actsOfLook = async (): Promise<Set<string>> => {
      const earlier = account().requests().length;
      await look();
      return new Set(
        account()
          .requests()
          .slice(earlier)
          .map(({ action }) => action),
      );
    };
    const acts = ['cloudformation:CancelUpdateStack', 'cloudformation:DeleteStack', 'sns:Publish'];
    const early = await actsOfLook();
    expect(acts.filter((action) => early.has(action))).toEqual([]);
    await account().control('pass-time', { minutes: 16 });
    const late = await actsOfLook();
    expect(acts.filter((action) => late.has(action))).toEqual(['cloudformation:CancelUpdateStack', 'sns:Publish']);
    await expect
      .poll(async () => (await stackOf(binding)).StackStatus, { timeout: 120_000 })
      .toBe('UPDATE_ROLLBACK_COMPLETE');
    await deletesItself();
  });

  it('after its dollars are spent, counted from its first database, whatever its run is doing, and records why', async () => {
    const { binding } = await running({ profile: 'limited' });
    await look();
    expect(await left()).not.toEqual([]);
    await account().control('pass-time', { minutes: 6 * 60 });
    await look();
    await expect.poll(left, { timeout: 300_000 }).toEqual([]);
    const { bucket, prefix } = binding.results;
    const { Body } = await account().s3.send(
      new GetObjectCommand({ Bucket: bucket, Key: `${prefix}${deletionName('begun')}` }),
    );
    expect(JSON.parse((await Body?.transformToString()) ?? '')).toMatchObject({
      kind: 'pgduet-deletion',
      state: 'begun',
      why: 'limits.dollars is 100, and that is spent',
    });
  });
});

it('a run that its stack would not outlive is refused by the pre-flight, which leaves a status', async () => {
  const { deployed, binding } = await started({
    beforeBoot: (bound) => changeBinding({ ...bound, lifetimeHours: 0.01 }),
  });
  const { exitCode, stdout, stderr } = await deployed;
  expect(exitCode).toBe(1);
  expect(`${stdout}${stderr}`).toContain('expiry.hours is 0.01');
  expect(await statusOf(account(), binding)).toMatchObject({
    state: 'refused',
    run: null,
    saved: { objects: 0 },
    problems: [expect.stringMatching(/^Rejected: expiry\.hours is 0\.01/) as string],
  });
  const watched = await account().pgduet(['watch', `s3://${binding.results.bucket}/${binding.results.prefix}`]);
  expect(watched.exitCode).toBe(1);
  expect(watched.stderr).toContain('expiry.hours is 0.01');
});

async function stackOf({ stackId }: Binding): Promise<Stack> {
  const { Stacks } = await account().cloudFormation.send(new DescribeStacksCommand({ StackName: stackId }));
  return Stacks?.[0] ?? expect.fail('no stack');
}

/** Updates the stack with a topic that is never made. */
async function updateForEver(binding: Binding): Promise<void> {
  const { cloudFormation } = account();
  const StackName = binding.stackId;
  const { RoleARN, Parameters = [] } = await stackOf(binding);
  const { TemplateBody = '' } = await cloudFormation.send(new GetTemplateCommand({ StackName }));
  const template = JSON.parse(TemplateBody) as { Resources: object };
  const Resources = { ...template.Resources, Hanging: { Type: 'AWS::SNS::Topic', Properties: {} } };
  await account().control('hold', { logicalId: 'Hanging' });
  const { Id: ChangeSetName } = await cloudFormation.send(
    new CreateChangeSetCommand({
      StackName,
      ChangeSetName: 'hanging',
      ChangeSetType: 'UPDATE',
      RoleARN,
      TemplateBody: JSON.stringify({ ...template, Resources }),
      Parameters: Parameters.map(({ ParameterKey }) => ({ ParameterKey, UsePreviousValue: true })),
    }),
  );
  await cloudFormation.send(new ExecuteChangeSetCommand({ StackName, ChangeSetName }));
}

/** What the runner has said so far, without the line breaks that fit it to a terminal. */
async function printed(machine: Machine): Promise<string> {
  const { stdout } = await machine.run('journalctl', '--no-pager', '--output', 'cat', '--unit', 'pgduet');
  return stdout.replaceAll(/\s+/g, ' ');
}

async function changeBinding(binding: Binding): Promise<void> {
  const Name = bindingParameterName(binding.experiment.name, binding.owner);
  const { Parameter } = await account().ssm.send(new GetParameterCommand({ Name }));
  expect(Parameter?.Value).toBeDefined();
  await account().ssm.send(new PutParameterCommand({ Name, Value: JSON.stringify(binding), Overwrite: true }));
}
