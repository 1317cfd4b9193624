import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { checkSavedTrial } from '../../runner/analysis/validity/rejudge.ts';
import type { MeasureStep } from '../../runner/contract/plan.ts';
import type { Trial } from '../../runner/contract/trial.ts';
import { withConnection } from '../../runner/postgres/connect.ts';
import { describeVariants, runRecord } from '../../runner/run/driver.ts';
import { equipmentOf } from '../../runner/run/run-shape.ts';
import { measureTrials } from '../../runner/run/trial.ts';
import { fakeRun } from '../helpers/fakes/fake-run.ts';
import { programsIn } from '../helpers/processes/tiny-run.ts';
import { stopServer } from '../helpers/servers/stopped-server.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';

const logFolder = 'trials/block-01-1-one/transactions';
/** At a rate that leaves the processors to the tests that run beside it. */
const workload = { tool: 'pgbench', scale: 2, clients: 4, threads: 2, rate: 200 } as const;
const signal = new AbortController().signal;
const cluster = clusterForAll({ autovacuum: false });

beforeAll(async () => {
  const generator = await equipmentOf(runOf(1, cluster.folder).execution.experiment, where()).generatorsIn(
    cluster.folder,
  )({});
  await generator.load(cluster.target, { folder: cluster.folder, signal, onProgress: () => undefined });
});

const where = () => ({ programs: cluster.programs });
const runOf = (durationSeconds: number, folder?: string) =>
  fakeRun({
    ...(folder === undefined ? {} : { folder }),
    workload: { ...workload, durationSeconds },
    protocol: { warmUpSeconds: 1, reset: [] },
    place: { targets: new Map(['one', 'two'].map((server) => [server, { ...cluster.target, server }])) },
  });

/** One real trial of the cluster, with what happens in its midst, as its files have it. */
async function measured(durationSeconds: number, meanwhile: (folder: string) => Promise<void>) {
  const run = runOf(durationSeconds);
  const equipment = equipmentOf(run.execution.experiment, where());
  const running = {
    ...(await run.running()),
    ...equipment,
    generatorAt: equipment.generatorsIn(cluster.folder),
    now: () => new Date(),
  };
  const described = await describeVariants(running);
  const record = runRecord(running, described);
  await run.store.saveRun(record);
  const step = run.execution.plan.steps.find((one): one is MeasureStep => one.kind === 'measure');
  if (!step) throw new Error('a plan without a trial');
  const measuring = measureTrials(running, new Map(described.map((one) => [one.name, one])), step);
  await vi.waitFor(() => expect(readdirSync(path.join(run.folder, logFolder))).not.toEqual([]), {
    timeout: 60_000,
    interval: 20,
  });
  await sleep((durationSeconds * 1000) / 4);
  await meanwhile(run.folder);
  const [ended] = await measuring;
  if (!ended) throw new Error('no trial');
  await run.store.saveTrial(ended.trial, ended.series);
  const [trial] = run.stored().trials;
  if (!trial) throw new Error('no trial was saved');
  const checks = checkSavedTrial(record, trial, await run.store.series.read(trial));
  return { trial, checks };
}

function found({ checks }: Trial, id: string): string {
  const check = checks.find((one) => one.id === id);
  return `${check?.state}: ${check?.finding}`;
}

const invariants = ['transaction-log', 'commits', 'silent-seconds', 'length-of-the-trial', 'size-of-the-database'];

describe('a trial', () => {
  it('that nobody disturbs keeps all invariants, and its files say so again', async () => {
    const { trial, checks } = await measured(5, () => Promise.resolve());
    expect(trial.failure).toBeNull();
    for (const name of invariants) expect(found(trial, name)).toMatch(/^pass: /);
    expect(trial.measures['database.commits']).toBeGreaterThanOrEqual(trial.measures['transactions'] ?? NaN);
    expect(checks).toEqual(trial.checks);
  });

  it('fails where the load generator was stopped for 4 of its 10 s', async () => {
    const { trial } = await measured(10, async (folder) => {
      const [pid = NaN] = programsIn(folder, 'pgbench');
      process.kill(pid, 'SIGSTOP');
      await sleep(4000);
      process.kill(pid, 'SIGCONT');
    });
    expect(found(trial, 'silent-seconds')).toMatch(
      /^fail: the load generator reports every second, but sent no report for [4-9]\.\d s: it was stopped$/,
    );
  });

  it('fails where the server was stopped for 4 of its 10 s', async () => {
    const { trial } = await measured(10, async () => {
      const stopped = await stopServer(cluster.target);
      await sleep(4000);
      stopped.resume();
    });
    expect(found(trial, 'silent-seconds')).toMatch(
      /^fail: no transaction ended for [3-9]\.\d s of \d+ s: the server or its storage stalled/,
    );
  });

  it('has no percentiles where half of its logs were removed, and says why', async () => {
    const { trial } = await measured(4, (folder) => {
      const [log = ''] = readdirSync(path.join(folder, logFolder));
      rmSync(path.join(folder, logFolder, log));
      return Promise.resolve();
    });
    expect(found(trial, 'transaction-log')).toMatch(
      /^warn: the log has [\d,]+ transactions, the run says [\d,]+, so percentiles and per-second values are not shown$/,
    );
    expect(trial.measures).toMatchObject({
      'latency.p50': null,
      'latency.p99': null,
      'latency.max': null,
      'tps.p10': null,
    });
    expect(trial.measures['log.transactions']).toBeLessThan(trial.measures['transactions'] ?? NaN);
    expect(trial.series.flatMap(({ names }) => names)).not.toContain('tps');
    expect(found(trial, 'commits')).toMatch(/^pass/);
  });

  it('fails where somebody else commits in its database, who is named', async () => {
    const { trial } = await measured(4, async () => {
      await withConnection(
        cluster.target,
        async (client) => {
          await client.query(`SET application_name = 'psql'`);
          // A session tells what it committed only once a second, and not while it is at rest.
          const end = Date.now() + 5000;
          while (Date.now() < end) {
            for (let commits = 0; commits < 10; commits++) await client.query('SELECT 1');
            await sleep(5);
          }
        },
        signal,
      );
    });
    expect(found(trial, 'commits')).toMatch(
      /^fail: the server counted [\d,]+ commits, the run [\d,]+; .*another client used the database \(seen: postgres \(psql, 127\.0\.0\.1, pid \d+\)\)$/,
    );
  });
});
