import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { RunStatus } from '../../../runner/contract/status.ts';
import type { Account } from './account.ts';
import { openBootstrappedAccount } from './bootstrapped-account.ts';
import { type Deployment, deploy, type DeploymentOptions, remove } from './deployment.ts';
import { statusOf } from './results-in-bucket.ts';

/** An account for all tests of a scenario, in which each of them deploys at most one stack. */
export interface DeploymentPerTest {
  account: () => Account;
  /** Deploys. The stack is removed after the test. */
  started: (options?: Partial<DeploymentOptions>) => Promise<Deployment>;
  /** Deploys, and waits until the deploy has succeeded. */
  running: (options?: Partial<DeploymentOptions>) => Promise<Deployment>;
  /** Status of the test's run; null if there is none. */
  status: () => Promise<RunStatus | null>;
  /** What the account holds besides what it held before the test; results and assets are no part of it. */
  left: () => Promise<string[]>;
}

/** Call it once in a scenario: it adds hooks. After each test, they demand that nothing is left of its stack. */
export function deploymentPerTest(
  usual: Pick<DeploymentOptions, 'experiment' | 'profile' | 'owner'>,
): DeploymentPerTest {
  let account: Account;
  let inventory: string[];
  let current: { deployment: Deployment; options: DeploymentOptions } | null = null;

  async function started(options: Partial<DeploymentOptions> = {}): Promise<Deployment> {
    const whole = { ...usual, synthesizedOnce: true, ...options };
    const deployment = await deploy(account, whole);
    current = { deployment, options: whole };
    return deployment;
  }
  async function running(options: Partial<DeploymentOptions> = {}): Promise<Deployment> {
    const deployment = await started(options);
    expect((await deployment.deployed).exitCode).toBe(0);
    return deployment;
  }
  const left = async (): Promise<string[]> =>
    (await account.control<string[]>('inventory')).filter(
      (line) => !inventory.includes(line) && !line.startsWith('s3 object '),
    );

  beforeAll(async () => {
    account = await openBootstrappedAccount();
  });
  afterAll(() => account.close());
  beforeEach(async () => {
    inventory = await account.control<string[]>('inventory');
  });
  afterEach(async () => {
    if (!current) return;
    const { exitCode } = await remove(account, current.deployment, current.options);
    current = null;
    expect(exitCode).toBe(0);
    expect(await left()).toEqual([]);
  });
  return {
    account: () => account,
    started,
    running,
    status: async () => (current ? statusOf(account, current.deployment.binding) : null),
    left,
  };
}
