import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { measureSmoke } from '../account/measure-smoke.ts';

let account: Account;
beforeAll(async () => {
  account = await openBootstrappedAccount();
});
afterAll(() => account.close());

/** dlv-pgbench is that of the good path, and those with HammerDB have a scenario of their own. */
const experiments = [
  ['dlv-ladder', 12],
  ['wal-placement', 6],
  ['postgresbench', 3],
  ['version-upgrade', 2],
] as const;

it.each(experiments)('%s is deployed in its smoke profile, measured, and destroyed', async (experiment, trials) => {
  const { result } = await measureSmoke(account, experiment);
  expect(result.complete).toBe(true);
  expect(result.trials.map(({ state }) => state)).toEqual(Array.from({ length: trials }, () => 'finished'));
  // Ladders have a picture and a knee, also from a bucket.
  expect(result.ladders?.map(({ axis }) => axis)).toEqual(experiment === 'dlv-ladder' ? ['clients'] : []);
});

it('a matrix of two instance classes is deployed as four servers, and compared within each class', async () => {
  const { result } = await measureSmoke(account, 'test/fixtures/experiments/classes.yaml');
  expect(result.complete).toBe(true);
  expect(result.variants.map(({ name, deployed }) => [name, deployed?.class])).toEqual([
    ['without-dlv-2xlarge', 'db.r6gd.2xlarge'],
    ['with-dlv-2xlarge', 'db.r6gd.2xlarge'],
    ['without-dlv-4xlarge', 'db.r6gd.4xlarge'],
    ['with-dlv-4xlarge', 'db.r6gd.4xlarge'],
  ]);
  expect(result.trials.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'finished'));
  const primary = result.comparisons.filter((comparison) => comparison.primary);
  expect(
    primary.map(({ baseline, candidate, conditions }) => [baseline.variant, candidate.variant, conditions]),
  ).toEqual(['2xlarge', '4xlarge'].map((group) => [`without-dlv-${group}`, `with-dlv-${group}`, { group }]));
});
