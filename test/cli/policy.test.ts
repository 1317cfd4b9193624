import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { deployable } from '../../runner/rds/deploy/deployable.ts';
import type { PolicyDocument } from '../../runner/rds/deploy/launch-policy/document.ts';
import { launchPolicy } from '../../runner/rds/deploy/launch-policy/policy.ts';
import { type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const project = path.resolve(import.meta.dirname, '../..');

function policy(words: string[], options: Parameters<typeof runCommandLine>[1] = {}): Promise<Printed> {
  return runCommandLine(['policy', ...words], { workingFolder: project, columns: 1000, ...options });
}

describe('pgduet policy', () => {
  test('prints a policy that IAM takes as it is, and says beside it what it is for', async () => {
    const { stdout, stderr, exitCode } = await policy(['dlv-pgbench', '--owner', 'alice', '--region', 'eu-west-1']);
    expect(exitCode).toBe(0);
    const { experiment } = loadExperiment('dlv-pgbench', { folder: project });
    const launch = { owner: 'alice', region: 'eu-west-1' };
    expect(JSON.parse(stdout)).toEqual(launchPolicy(deployable(experiment, 'full'), launch));
    expect(stderr).toContain('pgduet-dlv-pgbench-alice in eu-west-1');
    expect(stderr).toContain('aws iam create-policy');
  });

  test('says what to do with a policy that is too long for a managed one', async () => {
    const { variants, common, ...experiment } = smallExperiment();
    const workingFolder = folderWithExperiment('small', {
      ...experiment,
      common: { ...common, class: 'db.r6gd.4xlarge' },
      variants: { ...variants, c: { deployment: 'multi-az-cluster' } },
      network: { mode: 'private' },
      notify: { email: 'alice@example.com' },
      removal: { finalSnapshot: true },
    });
    const region = 'ap-southeast-1';
    const { stdout, stderr } = await policy(['small', '--owner', 'aliceisalice', '--region', region], {
      workingFolder,
    });
    const characters = stdout.replaceAll(/\s/g, '').length;
    expect(characters).toBeGreaterThan(6144);
    expect(characters).toBeLessThan(10_240);
    expect(stderr).toContain(`It has ${characters} characters, and a managed policy may have 6144.`);
    expect(stderr).not.toContain('create-policy');
  });

  test('is about the Region of the environment, in the partition of that Region', async () => {
    const arns = async (AWS_REGION: string): Promise<string[]> => {
      const { stdout } = await policy(['dlv-pgbench', '--owner', 'alice'], { environment: { AWS_REGION } });
      return (JSON.parse(stdout) as PolicyDocument).Statement.flatMap(({ Resource }) => Resource);
    };
    expect(await arns('cn-north-1')).toContain('arn:aws-cn:ec2:cn-north-1:*:*');
    expect(await arns('us-gov-west-1')).toContain('arn:aws-us-gov:ec2:us-gov-west-1:*:*');
  });

  test('with --json, prints nothing but the policy', async () => {
    expect(await policy(['dlv-pgbench', '--owner', 'alice', '--json'])).toMatchObject({ stderr: '', exitCode: 0 });
  });

  test.each([
    [['dlv-pgbench', '--owner', 'Alice B'], 'Owner "Alice B" cannot be part of identifiers'],
    [['dlv-pgbench', '--owner', 'alice', '--region', 'Ireland'], '--region Ireland is not the name of a Region'],
    [['quick', '--owner', 'alice'], 'cannot be deployed: its variants are on this machine'],
    [['dlv-pgbench', '--owner', 'alice', '--profile', 'nosuch'], 'nosuch'],
  ])('refuses %j by the wrong value', async (words, message) => {
    const { stdout, stderr, exitCode } = await policy(words);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(message);
  });
});
