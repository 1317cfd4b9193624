import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../runner/contract/result.ts';
import { shopRunOf, shopWorkload } from '../helpers/processes/shop-run.ts';
import { type TinyRun, tinyRun } from '../helpers/processes/tiny-run.ts';
import { clusterForAll } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { dumpAll } from '../helpers/servers/dump-all.ts';
import { Services } from '../helpers/servers/services.ts';

const services = new Services();
const cluster = clusterForAll();
beforeAll(() => services.addRole('bench', cluster));

const server = { service: 'bench' };
/** Databases of a run with the variants `none` and `index`, and their copies. */
const databases = ['none', 'index'].flatMap((variant) => [`pgduet_tiny_${variant}`, `pgduet_tiny_${variant}_loaded`]);

const shop = {
  common: { server },
  variants: { none: {}, index: { prepare: ['index.sql', 'migrations/'] } },
  baseline: 'none',
  protocol: { blocks: 6, warmUpSeconds: 0, repeats: 0, reset: ['restore'] },
};

/** A run of this experiment, with its files. */
function shopRun(changes: object = {}, files: Readonly<Record<string, string>> = {}): TinyRun {
  return shopRunOf(
    { ...shop, ...changes },
    {
      'schema.sql':
        'CREATE TABLE purchase AS SELECT i AS id, i % 5000 AS customer FROM generate_series(1, 200000) i;\n',
      'look.sql': '\\set id random(0, 4999)\nSELECT count(*) FROM purchase WHERE customer = :id;\n',
      'migrations/2.sql': 'CREATE INDEX purchase_note ON purchase (note);\n',
      ...files,
    },
  );
}

const begin = (tiny: TinyRun, ...args: string[]) => tiny.runAs({ environment: services.environment }, ...args);

const databasesThere = async (): Promise<string[]> =>
  (
    await queryOn<{ name: string }>(
      cluster.target,
      "SELECT datname AS name FROM pg_database WHERE datname LIKE 'pgduet\\_%'",
    )
  ).rows.map(({ name }) => name);

const explained = async (variant: string): Promise<string> => {
  const target = { ...cluster.target, database: `pgduet_tiny_${variant}` };
  const { rows } = await queryOn<Record<string, string>>(target, 'EXPLAIN SELECT FROM purchase WHERE customer = 7');
  return rows.map((row) => Object.values(row)[0]).join('\n');
};

describe('variants on one existing server', () => {
  it('have databases of their own, of which the one with an index is better, and nothing is left', async () => {
    const tiny = shopRun();
    const before = dumpAll(cluster);
    const loaded = await begin(tiny, 'load', 'tiny').ended;
    expect(loaded.exitCode, loaded.stderr).toBe(0);
    expect((await databasesThere()).sort()).toEqual(databases.toSorted());
    expect(await explained('none')).toContain('Seq Scan');
    expect(await explained('index')).toContain('purchase_customer');
    const { exitCode, stderr } = await begin(tiny, 'run', 'tiny').ended;
    expect(exitCode, stderr).toBe(0);
    const { comparisons, trials, place } = tiny.result();
    expect(comparisons.find(({ primary }) => primary)).toMatchObject({
      ...{ metric: 'tps', verdict: 'better', scope: 'one-server' },
    });
    expect(trials.map(({ state }) => state)).toEqual(Array.from({ length: 12 }, () => 'finished'));
    expect(place.kind).toBe('existing-here');
    const file = path.join(tiny.folder, 'results/tiny/latest/report.json');
    const report = JSON.parse(readFileSync(file, 'utf8')) as {
      doubts: { id: string }[];
      repeat: { command: string };
    };
    expect(report.doubts.map(({ id }) => id)).toContain('shared-server');
    expect(report.repeat.command).not.toContain('--local');
    await begin(tiny, 'clean').ended;
    expect(dumpAll(cluster)).toBe(before);
    tiny.expectNothingLeft();
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('leave nothing after %s, and clean', async (signal) => {
    const tiny = shopRun({ workload: { ...shopWorkload, durationSeconds: 30 } });
    const before = dumpAll(cluster);
    const run = begin(tiny, 'load-run', 'tiny', '-v');
    await run.shown('loaded index');
    await tiny.underLoad();
    run.process.kill(signal);
    await run.ended;
    expect(await databasesThere()).toHaveLength(signal === 'SIGKILL' ? 4 : 0);
    const cleaned = await begin(tiny, 'clean').ended;
    expect(cleaned.exitCode, cleaned.stderr).toBe(0);
    expect(dumpAll(cluster)).toBe(before);
  });

  it('have the settings and scripts of their own in their sessions', async () => {
    const proves = (value: string): string => `SELECT 1 / (current_setting('work_mem') = '${value}')::int;\n`;
    const tiny = shopRun(
      {
        variants: {
          small: { engine: { parameters: { work_mem: '4MB' } } },
          large: {
            engine: { parameters: { work_mem: '64MB', datestyle: 'ISO, DMY' } },
            scripts: [{ file: 'large.sql' }],
          },
        },
        baseline: 'small',
        protocol: { ...shop.protocol, blocks: 1 },
      },
      {
        'look.sql': proves('4MB'),
        'large.sql': `${proves('64MB')}SELECT 1 / (current_setting('datestyle') = 'ISO, DMY')::int;\n`,
      },
    );
    const before = dumpAll(cluster);
    const { exitCode, stderr } = await begin(tiny, 'load-run', 'tiny').ended;
    expect(exitCode, stderr).toBe(0);
    const { trials, variants } = tiny.result();
    expect(trials.map(({ state }) => state)).toEqual(['finished', 'finished']);
    expect(variants.map(({ settings }) => settings['work_mem'])).toEqual(['4096 (kB)', '65536 (kB)']);
    expect(dumpAll(cluster)).toBe(before);
  });

  it('are named by --servers where their data or load differ', async () => {
    const tiny = shopRun({ common: { storage: { type: 'local' } }, protocol: { ...shop.protocol, blocks: 1 } });
    const { exitCode, stderr } = await begin(tiny, 'load-run', 'tiny', '--servers', 'bench,bench').ended;
    expect(exitCode, stderr).toBe(0);
    expect(tiny.result().variants.map(({ name }) => name)).toEqual(['none', 'index']);
    expect(await databasesThere()).toEqual([]);
  });

  it.each([
    [
      'a parameter that the role may not set',
      { index: { engine: { parameters: { log_statement: 'all' } } } },
      /log_statement/,
    ],
    ['a value that the server refuses', { index: { engine: { parameters: { search_path: 'a b' } } } }, /search_path/],
    [
      'a parameter of the whole server',
      { index: { engine: { parameters: { shared_buffers: '1GB' } } } },
      /shared_buffers/,
    ],
    ['variants that differ in nothing', { index: {} }, /server of bench as well/],
  ])('are refused before anything is made: %s', async (_, variants, words) => {
    const tiny = shopRun({ variants: { none: {}, ...variants } });
    const { exitCode, stderr } = await begin(tiny, 'load-run', 'tiny').ended;
    expect(stderr).toMatch(words);
    expect(exitCode).toBe(2);
    expect(await databasesThere()).toEqual([]);
  });
});

describe('try --server', () => {
  const script = "SELECT pg_sleep(CASE current_setting('work_mem') WHEN '64MB' THEN 0.002 ELSE 0.02 END);\n";
  const tryOn = (tiny: TinyRun, ...more: string[]) => {
    tiny.put('wait.sql', script);
    const usual = ['--clients', '1', '--seconds', '1', '--scale', '1', '--script', 'experiments/wait.sql'];
    return begin(tiny, 'try', '--server', 'bench', ...usual, ...more).ended;
  };

  it('compares settings by the session, and leaves the server as it was', async () => {
    const tiny = tinyRun();
    const before = dumpAll(cluster);
    const { exitCode, stderr, stdout } = await tryOn(tiny, '--set', 'work_mem=4MB,64MB', '--json', '--verbose');
    expect(exitCode, stderr).toBe(0);
    const { comparisons, variants, place } = JSON.parse(stdout) as Result;
    expect(comparisons.find(({ primary }) => primary)?.verdict).toBe('better');
    expect(variants.map(({ parameters = [] }) => parameters.map(({ name, inForce }) => [name, inForce]))).toEqual([
      [['work_mem', true]],
      [['work_mem', true]],
    ]);
    expect(place.kind).toBe('existing-here');
    expect(stderr).toContain('  Report   results/try-work-mem/latest/report.html\n');
    const [again = ''] = /(?<=pgduet )load-run .*(?=\n)/.exec(stderr) ?? [];
    const repeated = await begin(tiny, ...again.split(' '), '--dry-run').ended;
    expect(repeated.exitCode, repeated.stderr).toBe(0);
    expect(dumpAll(cluster)).toBe(before);
  });

  it.each([
    ['--set', 'shared_buffers=128MB,1GB', '--set shared_buffers'],
    ['--set', 'autovacuum_naptime=1,2', '--set autovacuum_naptime'],
    ['--set', 'log_statement=none,all', 'log_statement'],
    ['--version', '15,16', '--version 15,16'],
  ])('refuses %s %s before anything is made', async (option, value, words) => {
    const { exitCode, stderr } = await tryOn(tinyRun(), option, value);
    expect(stderr).toContain(words);
    expect(exitCode).toBe(2);
    expect(await databasesThere()).toEqual([]);
  });

  it('takes SQL that is run after loading', async () => {
    const { exitCode, stderr } = await tryOn(tinyRun(), '--prepare', 'index: CREATE INDEX ON t (i)', '--dry-run');
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('server:');
  });

  it('shows no password that was given in place of a service', async () => {
    const { exitCode, text } = await begin(
      tinyRun(),
      'try',
      '--server',
      'host=h password=secret',
      '--set',
      'work_mem=1MB,2MB',
    ).ended;
    expect(exitCode).toBe(2);
    expect(text).not.toContain('secret');
  });
});

it('refuses a database of the same name that pgduet did not make', async () => {
  await queryOn(cluster.target, 'CREATE DATABASE pgduet_tiny_index');
  try {
    const before = dumpAll(cluster);
    for (const verb of ['load', 'run', 'load-run']) {
      const { exitCode, stderr } = await begin(shopRun(), verb, 'tiny').ended;
      expect(stderr).toContain('pgduet_tiny_index is there already');
      expect(exitCode).toBe(2);
    }
    expect(dumpAll(cluster)).toBe(before);
  } finally {
    await queryOn(cluster.target, 'DROP DATABASE pgduet_tiny_index');
  }
});
