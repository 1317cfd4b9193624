import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { connectionString } from '../../runner/postgres/target.ts';
import { runChecked } from '../../runner/process/run-command.ts';
import { clusterForTest } from '../helpers/servers/cluster-for.ts';
import { queryOn } from '../helpers/servers/local-cluster.ts';
import { oneBlock, onFolders, tinyRun, type TinyRun } from '../helpers/processes/tiny-run.ts';

let tiny: TinyRun;
/** Only its owner may enter. */
let folder: string;
beforeEach(() => {
  tiny = tinyRun();
  folder = path.join(tiny.folder, 'private');
  cpSync(path.join(tiny.folder, 'experiments'), path.join(folder, 'experiments'), { recursive: true });
  chmodSync(folder, 0o700);
});

function define(experiment: object, files: Readonly<Record<string, string>>): void {
  const experiments = path.join(folder, 'experiments');
  writeFileSync(path.join(experiments, 'tiny.yaml'), stringify(experiment));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(experiments, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(experiments, name), text, { mode: 0o600 });
  }
}

/** Runs it with a umask by which nobody else can read what it writes. */
async function run(): Promise<string> {
  const inside = ['sh', '-c', 'umask 077; exec "$@"', 'sh'];
  const { exitCode, stderr } = await tiny.runAs({ inside, cwd: folder }, 'load-run', 'tiny', ...onFolders).ended;
  expect(exitCode, stderr).toBe(0);
  tiny.expectNothingLeft();
  return path.join(folder, 'results/tiny/latest');
}

it('of pgbench are read by its load, and its log of every transaction belongs to the caller', async () => {
  const workload = {
    ...oneBlock.workload,
    scripts: [{ file: 'scripts/mix.sql' }, { builtin: 'tpcb-skewed' }, { builtin: 'select-only' }],
  };
  define(
    { ...oneBlock, workload, collect: ['transaction-log'] },
    { 'scripts/mix.sql': 'SELECT abalance FROM pgbench_accounts WHERE aid = 1;\n' },
  );
  const results = await run();
  const [trial = ''] = readdirSync(path.join(results, 'trials'));
  const logs = path.join(results, 'trials', trial, 'transactions');
  expect(readdirSync(logs)).not.toEqual([]);
  for (const one of [logs, ...readdirSync(logs).map((name) => path.join(logs, name))]) {
    expect(statSync(one).uid).toBe(process.getuid?.());
    expect(statSync(one).mode & 0o077).toBe(0);
  }
  const { stdout } = await runChecked(['sh', '-c', `cat ${results}/trials/*/trial.json`]);
  expect(stdout).toContain('"latency.p95"');
  expect(stdout).not.toMatch(/pgduet-\w{6}/);
});

it('of own data are loaded: a dump, an SQL file, and what it reads', async () => {
  const cluster = await clusterForTest({ fsync: 'off' });
  await queryOn(
    cluster.target,
    'CREATE TABLE shop AS SELECT n AS id, md5(n::text) AS text FROM generate_series(1, 10000) AS n',
  );
  const dump = path.join(cluster.folder, 'dump');
  const command = [
    `${cluster.programs}/pg_dump`,
    '--format=custom',
    `--file=${dump}`,
    connectionString(cluster.target),
  ];
  await runChecked(command, { environment: { ...cluster.target.environment } });
  define(
    {
      ...oneBlock,
      profiles: { local: {} },
      workload: {
        ...{ tool: 'own-data', clients: 2, durationSeconds: 2, rate: 40 },
        load: {
          dump: 'data/shop.dump',
          sql: ['data/more.sql'],
          files: ['data/rows.csv', 'data/parts/index.sql'],
          reset: ['data/reset.sql'],
          expect: ['SELECT count(*) = 2 FROM more', 'SELECT count(*) = 10000 FROM shop'],
        },
        scripts: [{ file: 'look.sql' }],
      },
    },
    {
      'data/more.sql': `CREATE TABLE more (id int);\n\\copy more FROM 'data/rows.csv'\n\\ir parts/index.sql\n`,
      'data/parts/index.sql': 'CREATE INDEX ON more (id);\n',
      'data/rows.csv': '1\n2\n',
      'data/reset.sql': `TRUNCATE more;\n\\copy more FROM 'data/rows.csv'\n`,
      'look.sql': 'SELECT * FROM shop WHERE id = 17;\n',
    },
  );
  cpSync(dump, path.join(folder, 'experiments/data/shop.dump'));
  chmodSync(path.join(folder, 'experiments/data/shop.dump'), 0o600);
  await run();
});
