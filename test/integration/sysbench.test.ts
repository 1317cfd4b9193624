import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { withConnection } from '../../runner/postgres/connect.ts';
import type { Target } from '../../runner/postgres/target.ts';
import { askProgram } from '../../runner/process/run-command.ts';
import type { LoadGenerator } from '../../runner/workloads/load-generator.ts';
import { sysbenchVersion } from '../../runner/workloads/sysbench/program.ts';
import { sysbenchGenerator } from '../../runner/workloads/sysbench/generator.ts';
import { reparse } from '../../runner/workloads/sysbench/reparse.ts';
import { scripts, sysbenchSchema, type SysbenchWorkload } from '../../runner/workloads/sysbench/schema.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';

const { signal } = new AbortController();
const cluster = clusterForAll({ synchronous_commit: 'off', fsync: 'off', autovacuum: 'off' });
const base = { tool: 'sysbench', tables: 2, tableSize: 2000, clients: 3, durationSeconds: 2 };
const workload = (changes: object = {}): SysbenchWorkload =>
  sysbenchSchema.parse({ ...base, ...changes }) as SysbenchWorkload;
const generator = (changes: object = {}): LoadGenerator => sysbenchGenerator({ workload: workload(changes) });

let trials = 0;
async function newFolder(): Promise<string> {
  const folder = path.join(cluster.folder, `trial-${++trials}`);
  await mkdir(folder);
  return folder;
}

async function fill(database: string): Promise<Target> {
  await queryOn(cluster.target, `CREATE DATABASE ${database}`);
  const target = { ...cluster.target, database };
  await generator().load(target, { folder: await newFolder(), signal, onProgress: () => undefined });
  return target;
}

let filled: Target;
beforeAll(async () => {
  filled = await fill('filled');
});

async function measure(changes: object, during: (pid: number) => Promise<void> = () => Promise.resolve()) {
  const folder = await newFolder();
  let looked: Promise<void> | undefined;
  const found = await generator(changes).measure(filled, {
    ...{ folder, signal, seed: trials, onProgress: () => undefined },
    onProcess: (pid) => void (looked = during(pid)),
  });
  await looked;
  return { ...found, folder, printed: readFileSync(path.join(folder, 'sysbench.stdout.log'), 'utf8') };
}

const commitsOf = async (): Promise<number> => {
  // Sessions that have just ended report what they did a moment later.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { rows } = await queryOn<{ commits: number }>(
    cluster.target,
    "SELECT xact_commit::float8 AS commits FROM pg_stat_database WHERE datname = 'filled'",
  );
  return rows[0]?.commits ?? NaN;
};

const missing = (one: LoadGenerator, target = filled) =>
  withConnection(target, (client) => one.missing(client), signal);

describe('a load', () => {
  it('is whole, and is noticed if it is not', async () => {
    expect(await missing(generator())).toEqual([]);
    expect(await missing(generator({ tableSize: 3000 }))).toHaveLength(1);
    expect(await missing(generator({ tables: 3 }))).toHaveLength(2);
  });

  it('that fails is no load, although sysbench exits with 0', async () => {
    const request = { folder: await newFolder(), signal, onProgress: () => undefined };
    await expect(generator().load(filled, request)).rejects.toThrow(/relation "sbtest\d" already exists/);
  });
});

describe.each(Object.keys(scripts) as (keyof typeof scripts)[])('%s', (script) => {
  const tables = script.startsWith('select_random') ? 1 : 2;

  it.each(['prepared', 'simple'])(
    '%s reports what sysbench prints, and what the server committed',
    async (queryMode) => {
      const before = await commitsOf();
      const { measures, printed, series, folder } = await measure({ script, tables, queryMode });
      const figures = (line: string): number[] =>
        (new RegExp(`^ +${line}: +([\\d.]+)s?(?: +\\(([\\d.]+) per sec.\\))?$`, 'm').exec(printed) ?? [])
          .slice(1, 3)
          .map(Number);
      expect([measures['transactions'], measures['tps']]).toEqual(figures('transactions'));
      expect(measures['runtime']).toBe(figures('total time')[0]);
      expect(measures['transactions.retries']).toBe(figures('ignored errors')[0]);
      expect((measures['latency.average'] ?? NaN) * 1000).toBeCloseTo(figures('avg')[0] ?? NaN, 6);
      expect((measures['latency.max'] ?? NaN) * 1000).toBeCloseTo(figures('max')[0] ?? NaN, 6);
      // From the histogram, which has one more digit.
      expect(Math.abs((measures['latency.p95'] ?? NaN) * 1000 - (figures('95th percentile')[0] ?? NaN))).toBeLessThan(
        0.0051,
      );
      // It may end before its last report.
      expect(series?.filter(({ name }) => name === 'tps')[0]).toMatchObject({ second: 0 });
      const { 'load.processSeconds': _, ...others } = measures;
      expect(reparse(workload({ script, tables, queryMode }), folder)).toEqual(others);
      // Each connection makes one commit of its own.
      expect((await commitsOf()) - before).toBe((measures['load.commits'] ?? NaN) + base.clients);
    },
  );
});

test('the password is in no argument of the process', async () => {
  const file = cluster.target.environment['PGPASSFILE'] ?? '';
  const password = readFileSync(file, 'utf8').trim().split(':').at(-1) ?? '';
  expect(password).not.toBe('');
  let seen = '';
  await measure({}, async (pid) => {
    await new Promise((resolve) => setTimeout(resolve, 500));
    seen = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'latin1');
  });
  expect(seen).toContain('oltp_read_write');
  expect(seen).not.toContain(password);
});

test('a run that loses a connection is no result', async () => {
  const end = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 800));
    await queryOn(
      cluster.target,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgduet load' LIMIT 1",
    );
  };
  await expect(measure({}, end)).rejects.toThrow('sysbench: ');
});

test('a rate is offered, and a queue that runs over is no result', async () => {
  const { measures } = await measure({ script: 'oltp_point_select', rate: 200 });
  expect(Math.abs((measures['tps'] ?? 0) - 200)).toBeLessThan(50);
  expect(measures['client.turn']).toBeNull();
  await expect(measure({ rate: 200_000 })).rejects.toThrow('queue is full');
});

test('its version is the one that the program says', async () => {
  const { stdout } = await askProgram(['sysbench', '--version'], { signal });
  expect(await sysbenchVersion(signal)).toBe(stdout.trim());
});
