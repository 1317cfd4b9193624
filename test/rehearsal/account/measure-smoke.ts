import path from 'node:path';
import { expect } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import type { Result } from '../../../runner/contract/result.ts';
import type { Account } from './account.ts';
import { deploy, type Deployment, remove } from './deployment.ts';
import { restartOnReboot } from './reboots.ts';

/**
 * Deploys an experiment in its smoke profile, follows the run to its end, and destroys the stack.
 *
 * @param experiment name or path
 * @returns its result, and how many reboots of databases it asked for
 */
export async function measureSmoke(account: Account, experiment: string): Promise<{ result: Result; reboots: number }> {
  const options = { experiment, profile: 'smoke', owner: 'dana' };
  const before = await account.control<string[]>('inventory');
  const deployment = await deploy(account, options);
  const restarting = restartOnReboot(account, deployment.servers);
  try {
    const { exitCode, stderr } = await deployment.deployed;
    expect(exitCode, stderr).toBe(0);
    const words = ['watch', experiment, '--owner', options.owner];
    const show = (line: string): void => void process.stdout.write(`   ${line}\n`);
    const watched = await account.pgduet(words, { onStderrLine: show });
    expect(watched.exitCode, watched.stderr).toBe(0);
    return { result: await resultOf(account, deployment), reboots: restarting.reboots() };
  } finally {
    await restarting.stop();
    const { exitCode } = await remove(account, deployment, options);
    expect(exitCode).toBe(0);
    const left = (await account.control<string[]>('inventory')).filter((line) => !before.includes(line));
    expect(left.filter((line) => !line.startsWith('s3 object '))).toEqual([]);
  }
}

async function resultOf({ s3 }: Account, { binding: { results } }: Deployment): Promise<Result> {
  const { result } = await openAddress(bucketReader(s3), `s3://${results.bucket}/${results.prefix}`);
  return result;
}

/** Name of an experiment for a test's title. */
export function titleOf(experiment: string): string {
  return path.basename(experiment, '.yaml');
}
