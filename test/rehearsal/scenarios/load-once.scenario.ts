import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAddress } from '../../../runner/analysis/open-result.ts';
import { bucketReader } from '../../../runner/rds/bucket/bucket-run.ts';
import type { CarriedOutStep, KeptSnapshot } from '../../../runner/contract/result.ts';
import type { Account } from '../account/account.ts';
import { openBootstrappedAccount } from '../account/bootstrapped-account.ts';
import { type Deployment, deploy, type DeploymentOptions, remove } from '../account/deployment.ts';
import { statusOf } from '../account/results-in-bucket.ts';

/** The steps build on each other. */
const options: DeploymentOptions = {
  experiment: 'test/rehearsal/experiments/load-once.yaml',
  profile: 'full',
  owner: 'carol',
};
let account: Account;
let inventory: string[];
let first: Deployment;
let snapshot: KeptSnapshot | undefined;

beforeAll(async () => {
  account = await openBootstrappedAccount();
  inventory = await account.control<string[]>('inventory');
});
afterAll(() => account.close());

async function finished({ binding }: Deployment): Promise<CarriedOutStep[]> {
  // There is no status yet if the driver has only just begun.
  await expect
    .poll(async () => (await statusOf(account, binding))?.state ?? 'running', { timeout: 400_000, interval: 500 })
    .not.toBe('running');
  expect(await statusOf(account, binding)).toMatchObject({ state: 'finished' });
  const { bucket, prefix } = binding.results;
  const { result } = await openAddress(bucketReader(account.s3), `s3://${bucket}/${prefix}`);
  expect(result).toMatchObject({ complete: true });
  return result.steps;
}

/** What is in the account besides what was there before and results. */
async function left(): Promise<string[]> {
  const now = await account.control<string[]>('inventory');
  return now.filter((line) => !inventory.includes(line) && !line.startsWith('s3 object '));
}

/** Deploys an experiment that restores the snapshot, which is read wholly, and destroys its stack, which leaves the snapshot. */
async function measureRestored(experiment: string): Promise<CarriedOutStep[]> {
  const restoring = { ...options, experiment, ...(snapshot ? { restoredFrom: snapshot.name } : {}) };
  const restored = await deploy(account, restoring);
  expect((await restored.deployed).exitCode).toBe(0);
  const steps = await finished(restored);
  const touched = steps.find(({ step }) => step === 'touch')?.touched ?? [];
  expect(touched.map(({ server }) => server).sort()).toEqual(['with-dlv', 'without-dlv']);
  // 15 MB for each unit of the scale.
  for (const { bytes } of touched) expect(bytes).toBeGreaterThan(500e6);
  expect((await remove(account, restored, restoring)).exitCode).toBe(0);
  expect(await left()).toEqual([`rds snapshot ${snapshot?.name ?? ''}`]);
  return steps;
}

it('a driver that loses its power in mid-load goes on without loading again what was loaded', async () => {
  first = await deploy(account, options);
  expect((await first.deployed).exitCode).toBe(0);
  const results = path.join(first.machine.root, 'var/lib/pgduet/results/load-once');
  // The log of a load is there from its beginning. The second one begins when the first is proved and marked.
  while (!existsSync(path.join(results, 'latest/load-with-dlv.log'))) await sleep(20);
  await first.machine.crash();
  await first.machine.boot();
  const steps = await finished(first);
  const load = steps.find(({ step }) => step === 'load');
  expect(load?.loads).toMatchObject([
    { server: 'without-dlv', outcome: 'loaded-before' },
    { server: 'with-dlv', outcome: 'loaded' },
  ]);
  expect(steps.map(({ step }) => step)).toEqual(['create', 'create', 'load', 'snapshot']);
  snapshot = steps.at(-1)?.snapshot;
  expect(snapshot).toMatchObject({ source: 'carol-load-once-without-dlv' });
  expect((await statusOf(account, first.binding))?.problems).toEqual([
    expect.stringContaining(`AWS bills for it until you delete it: ${snapshot?.deleteCommand ?? '-'}`),
  ]);
});

it('its stack leaves exactly its results and the snapshot', async () => {
  expect((await remove(account, first, options)).exitCode).toBe(0);
  expect(await left()).toEqual([`rds snapshot ${snapshot?.name ?? ''}`]);
});

it('the next stack is restored from the snapshot, touches all of it, and measures', async () => {
  const text = readFileSync(options.experiment, 'utf8');
  const experiment = path.join(account.folder, 'load-once.yaml');
  writeFileSync(experiment, text.replace('keep: true', `snapshot: ${snapshot?.name ?? ''}`));
  const steps = await measureRestored(experiment);
  expect(steps.map(({ step }) => step)).toEqual(['create', 'touch']);
});

it('an experiment of one’s own data restores the same snapshot, reads all of it, and measures scripts of its own', async () => {
  const [common = ''] = readFileSync(options.experiment, 'utf8').split('# Big enough');
  const folder = path.join(account.folder, 'own-data');
  mkdirSync(folder);
  const experiment = path.join(folder, 'load-once.yaml');
  writeFileSync(
    experiment,
    `${common}workload:
  tool: own-data
  load:
    snapshot: ${snapshot?.name ?? ''}
    database: pgduet
    user: pgduet
    expect: [SELECT count(*) = 4000000 FROM pgbench_accounts]
  clients: 2
  threads: 1
  durationSeconds: 1
  scripts: [{ file: look.sql }]
protocol: { blocks: 1, repeats: 0, warmUpSeconds: 0 }
`,
  );
  writeFileSync(path.join(folder, 'look.sql'), 'SELECT count(*) FROM pgbench_branches;\n');
  await measureRestored(experiment);
});

it('the command that it named deletes the snapshot, and nothing is left but results', async () => {
  const [, ...words] = (snapshot?.deleteCommand ?? '').split(' ');
  expect((await account.aws(words)).exitCode).toBe(0);
  expect(await left()).toEqual([]);
});
