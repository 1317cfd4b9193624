import { setTimeout as sleep } from 'node:timers/promises';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import type { RunStatus } from '../../../runner/contract/status.ts';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, remove } from '../account/deployment.ts';
import { statusOf } from '../account/results-in-bucket.ts';

const cuts = 10;
/** After a boot: from the start of the service to the fifth trial. */
const milliseconds = { least: 500, most: 25_000 };
const options = {
  experiment: 'test/rehearsal/experiments/log-volume.yaml',
  profile: 'long',
  owner: 'bob',
  synthesizedOnce: true,
} as const;
/** Two blocks of two variants, each with ten numbers of clients. */
const trials = 2 * 2 * 10;

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

it('a driver that loses its power ten times at random instants ends with exactly the planned trials', async () => {
  const { machine, binding } = deployment;
  const random = xoroshiro128plus(1);
  const reported = new Map<string, unknown>();
  for (let cut = 1; cut <= cuts; cut += 1) {
    await sleep(uniformInt(random, milliseconds.least, milliseconds.most));
    const before = await status();
    expect(before?.state, `before cut ${cut}`).toBe('running');
    for (const trial of before?.trials ?? []) if (trial.state === 'finished') reported.set(trial.id, trial.measures);
    process.stdout.write(`cut ${cut} in ${before?.current?.stage ?? 'nothing'}, ${reported.size} trials told\n`);
    await machine.crash();
    await machine.boot();
  }
  await expect.poll(async () => (await status())?.saved ?? null, { timeout: 900_000, interval: 2000 }).not.toBeNull();
  const last = await status();
  expect(last).toMatchObject({ state: 'finished', problems: [] });
  const { result } = await openAddress(
    bucketReader(account.s3),
    `s3://${binding.results.bucket}/${binding.results.prefix}`,
  );
  expect(result.complete).toBe(true);
  const finished = result.trials.filter(({ state }) => state === 'finished');
  expect(finished).toHaveLength(trials);
  const planned = finished.map(({ block, conditions }) => JSON.stringify([block, conditions]));
  expect(new Set(planned).size).toBe(trials);
  expect(result.trials.length - finished.length).toBeLessThanOrEqual(cuts);
  // What was told of a trial while the run went on is what the result holds.
  const measures = new Map(last?.trials.map(({ id, measures }) => [id, measures]));
  for (const [id, was] of reported) expect(measures.get(id), id).toEqual(was);
});
