import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Trial, TrialStage } from '../../runner/contract/trial.ts';
import { waitUntil } from '../../runner/process/wait-until.ts';
import { Gate } from '../faults/deployed/gate.ts';
import { oneBlock, type TinyRun, tinyRun } from '../helpers/processes/tiny-run.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { Services } from '../helpers/servers/services.ts';

const services = new Services();
const [near, far] = [clusterForAll(), clusterForAll()];
let gate: Gate;

beforeAll(async () => {
  gate = await Gate.before(far.target.port);
  await services.addRole('near', near);
  await services.addRole('far', far, { host: '127.0.0.1', port: gate.port });
});
afterAll(() => gate.close());
beforeEach(() => gate.set('open'));

const preload = path.resolve('test/faults/shorter-waits.mjs');
const servers = ['--servers', 'near,far', '--allow-activity'];
const database = 'pgduet_tiny';

/** Trials that leave time to disturb them. */
function steady(blocks: number, { scale = 1, reset = [] as string[] } = {}): TinyRun {
  const tiny = tinyRun();
  const protocol = { ...oneBlock.protocol, blocks, warmUpSeconds: 4 };
  tiny.define({
    ...oneBlock,
    workload: { ...oneBlock.workload, scale, durationSeconds: 7 },
    protocol: reset.length > 0 ? { ...protocol, reset } : protocol,
  });
  return tiny;
}

function start(tiny: TinyRun, ...args: string[]) {
  return tiny.runAs({ environment: { ...services.environment, NODE_OPTIONS: `--import ${preload}` } }, ...args);
}

/** Waits until the trial on the far server is in this stage. */
async function inStage(tiny: TinyRun, stage: TrialStage, block = 1): Promise<void> {
  const results = path.join(tiny.folder, 'results');
  const isThere = (): Promise<boolean> => {
    const names = existsSync(results) ? readdirSync(results, { recursive: true, encoding: 'utf8' }) : [];
    const trials = names
      .filter((name) => path.basename(name) === 'trial.json')
      .map((name) => JSON.parse(readFileSync(path.join(results, name), 'utf8')) as Trial);
    const own = trials.filter(({ conditions, block: of }) => conditions.variant === 'far' && of === block);
    return Promise.resolve(own.some(({ failure }) => failure?.code === 'cut-off' && failure.stage === stage));
  };
  await waitUntil(isThere, { seconds: 120, everyMs: 100 });
  // The stage is noted before it begins.
  await sleep(1200);
}

async function cut(seconds = 1): Promise<void> {
  gate.set('shut');
  await sleep(seconds * 1000);
  gate.set('open');
}

const isLeft = async (): Promise<boolean> =>
  (await queryOn(far.target, 'SELECT FROM pg_database WHERE datname = $1', [database])).rows.length > 0;

function trialsOnFar(tiny: TinyRun) {
  const own = tiny.result().trials.filter(({ conditions }) => conditions.variant === 'far');
  return own.map(({ state, failure, measures }) => ({
    ...{ state, ...(failure && { stage: failure.stage, code: failure.code }) },
    measured: Object.keys(measures).length > 0,
  }));
}

describe('a server that is lost', () => {
  it('while it is loaded, is loaded again', async () => {
    const tiny = steady(1, { scale: 20 });
    const run = start(tiny, 'load-run', 'tiny', ...servers);
    await run.shown('load ...');
    const query = "SELECT FROM pg_stat_activity WHERE query ~* '^copy pgbench_accounts'";
    const isLoading = async (): Promise<boolean> => (await queryOn(far.target, query)).rows.length > 0;
    await waitUntil(isLoading, { seconds: 120, everyMs: 50 });
    await cut();
    const { exitCode, stderr } = await run.ended;
    expect(exitCode, stderr).toBe(0);
    const loads = tiny.result().steps.flatMap((step) => step.loads ?? []);
    expect(loads.filter(({ server }) => server === 'far')).toMatchObject([
      { outcome: 'failed', failure: 'connection-lost' },
      { outcome: 'loaded' },
    ]);
    expect(await isLeft()).toBe(false);
  });

  it('in a trial, or restarted, costs that trial, and nothing of it is compared', async () => {
    const tiny = steady(4);
    const run = start(tiny, 'load-run', 'tiny', ...servers);
    await inStage(tiny, 'warm-up', 1);
    await cut();
    await inStage(tiny, 'measure', 2);
    await cut();
    await inStage(tiny, 'measure', 3);
    await far.restart();
    const { exitCode, stderr } = await run.ended;
    expect(exitCode, stderr).toBe(1);
    const lost = { state: 'failed', code: 'connection-lost', measured: false };
    expect(trialsOnFar(tiny)).toEqual([
      { ...lost, stage: 'warm-up' },
      { ...lost, stage: 'measure' },
      { ...lost, stage: 'measure' },
      { state: 'finished', measured: true },
    ]);
    const blocks = tiny.result().comparisons.flatMap(({ pairs }) => pairs.map(({ block }) => block));
    expect([...new Set(blocks)]).toEqual([4]);
    expect(await isLeft()).toBe(false);
  });

  it('for good, ends the run, and clean drops its database once it is back', async () => {
    const tiny = steady(1);
    const run = start(tiny, 'load-run', 'tiny', ...servers);
    await inStage(tiny, 'measure');
    gate.set('shut');
    const { exitCode } = await run.ended;
    expect(exitCode).toBe(1);
    expect(trialsOnFar(tiny)).toMatchObject([{ state: 'failed', stage: 'measure', code: 'connection-lost' }]);
    expect(tiny.result().comparisons.flatMap(({ pairs }) => pairs)).toEqual([]);
    const note = path.join(tiny.folder, 'results/tiny/pgduet_tiny@far.json');
    expect(existsSync(note)).toBe(true);
    expect((await start(tiny, 'clean').ended).exitCode).toBe(3);
    gate.set('open');
    expect(await isLeft()).toBe(true);
    expect((await start(tiny, 'clean').ended).exitCode).toBe(0);
    expect(existsSync(note)).toBe(false);
    expect(await isLeft()).toBe(false);
  });
});

describe('a role that loses its rights in mid-run', () => {
  it.each([
    ['ALTER ROLE far NOLOGIN', 'ALTER ROLE far LOGIN'],
    ["ALTER ROLE far PASSWORD 'another'", "ALTER ROLE far PASSWORD 'secret of far'"],
    ['ALTER ROLE far NOCREATEDB', 'ALTER ROLE far CREATEDB'],
  ])('by %s fails its trials by name, and what it may no longer drop is dropped later', async (taken, given) => {
    const tiny = steady(2, { reset: ['restore'] });
    const run = start(tiny, 'load-run', 'tiny', ...servers);
    await inStage(tiny, 'warm-up');
    await queryOn(far.target, taken);
    try {
      const { exitCode, stderr } = await run.ended;
      expect(exitCode, stderr).toBe(1);
      const failed = trialsOnFar(tiny).filter(({ state }) => state === 'failed');
      expect(new Set(failed.map(({ code, measured }) => `${code} ${measured}`))).toEqual(new Set(['no-access false']));
    } finally {
      await queryOn(far.target, given);
    }
    expect((await start(tiny, 'clean').ended).exitCode).toBe(0);
    expect(await isLeft()).toBe(false);
  });
});
