import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Plan } from '../../runner/contract/plan.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { parse } from 'yaml';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import { type Printed, runCommandLine } from '../helpers/fakes/fake-io.ts';

/** A try that only shows its file and its plan. */
function dry(workingFolder: string, ...words: string[]): Promise<Printed> {
  return runCommandLine(['try', '--dry-run', '--json', ...words], { workingFolder });
}

/** The plan of a try, and the experiment file that it stands for. */
async function planned(...words: string[]) {
  const { stdout, stderr, exitCode } = await dry(temporaryFolder(), ...words);
  expect(exitCode, stderr).toBe(0);
  const shown = stderr.replaceAll(/^ {2}/gm, '').split('\n\n')[1] ?? '';
  return { plan: JSON.parse(stdout) as Plan, text: shown };
}

describe('pgduet try', () => {
  test('compares the values of a setting with its first one, until there is a verdict, in ten minutes at most', async () => {
    const { plan } = await planned('--set', 'synchronous_commit=on,off');
    expect(plan).toMatchObject({
      experiment: 'try-synchronous-commit',
      question: 'Does throughput depend on synchronous_commit (on or off)?',
      variants: ['synchronous-commit-on', 'synchronous-commit-off'],
      baseline: 'synchronous-commit-on',
      until: 'verdict',
    });
    expect(plan.expectedSeconds).toBeLessThanOrEqual(600);
    expect(plan.expectedSeconds).toBeGreaterThan(450);
  });

  test('says how long it takes if its first look is enough, and how long otherwise', async () => {
    const words = ['try', '--dry-run', '--set', 'synchronous_commit=on,off'];
    const { stdout } = await runCommandLine(words, { workingFolder: temporaryFolder() });
    expect(stdout).toMatch(/until there is a verdict, at most \d\d blocks/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /duration \d min \d+ s if 6 blocks are enough, otherwise up to about \d min \d+ s in total/,
    );
  });

  test('multiplies several settings, and gives all the same value where there is only one', async () => {
    const { plan, text } = await planned(
      ...['--set', 'synchronous_commit=on,off', '--set', 'jit=on,off', '--set', 'Work_Mem=64MB'],
    );
    expect(plan.variants).toHaveLength(4);
    expect(plan.baseline).toBe(plan.variants[0]);
    expect(plan.blocks).toBeGreaterThanOrEqual(plan.claims.blocksForVerdict);
    const { common, variants } = parse(text) as {
      common: { engine: { parameters: object } };
      variants: Record<string, { engine: { parameters: object } }>;
    };
    expect(common.engine.parameters).toMatchObject({ work_mem: '64MB' });
    expect(Object.values(variants).map(({ engine }) => engine.parameters)).toEqual([
      { synchronous_commit: 'on', jit: 'on' },
      { synchronous_commit: 'on', jit: 'off' },
      { synchronous_commit: 'off', jit: 'on' },
      { synchronous_commit: 'off', jit: 'off' },
    ]);
  });

  const index = 'CREATE INDEX ON purchase (customer)';

  /** A folder with a dump in plain text and a script. */
  function withDump(): string {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'shop.dump'), 'CREATE TABLE purchase (customer int);\n');
    writeFileSync(path.join(folder, 'q.sql'), 'SELECT 1;\n');
    return folder;
  }

  test('compares data as loaded from a dump with data that has an index', async () => {
    const words = ['--dump', 'shop.dump', '--script', 'q.sql', '--prepare', `index: ${index}`];
    const { stdout, stderr, exitCode } = await dry(withDump(), ...words);
    expect(exitCode, stderr).toBe(0);
    const plan = JSON.parse(stdout) as Plan;
    expect(plan).toMatchObject({
      experiment: 'try-index',
      question: 'Does throughput depend on the preparation of the data (as-loaded or index)?',
      variants: ['as-loaded', 'index'],
      baseline: 'as-loaded',
    });
    expect(plan.expectedSeconds).toBeGreaterThan(0);
    expect(stderr).toContain(
      `# npx --no-install pgduet try --prepare 'index: ${index}' --dump shop.dump --script q.sql`,
    );
    const [, shown] = stderr.replaceAll(/^ {2}/gm, '').split('try-index.yaml:\n\n');
    expect(parse(shown ?? '')).toMatchObject({
      variants: { 'as-loaded': { description: 'as loaded' }, index: { description: index, prepare: [index] } },
      workload: { tool: 'own-data', load: { dump: 'shop.dump' }, scripts: [{ file: 'q.sql' }] },
    });
  });

  test('compares two preparations with each other, without the data as loaded', async () => {
    const words = ['--prepare', `index: ${index}`, '--prepare', 'full: VACUUM FULL', '--baseline', 'full'];
    const { plan, text } = await planned(...words);
    expect(plan).toMatchObject({
      experiment: 'try-index-full',
      question: 'Does throughput depend on the preparation of the data (full or index)?',
      variants: ['full', 'index'],
      baseline: 'full',
    });
    expect(text).toContain('--baseline full');
    expect(parse(text)).toMatchObject({
      variants: { full: { prepare: ['VACUUM FULL'] }, index: { prepare: [index] } },
    });
  });

  test('compares versions, also of what is prepared or set', async () => {
    const { plan, text } = await planned('--version', '15,17', '--set', 'jit=on,off', '--prepare', 'full: VACUUM FULL');
    expect(plan.experiment).toBe('try-jit-version-full');
    expect(plan.variants).toHaveLength(8);
    expect(Object.values((parse(text) as { variants: object }).variants).slice(4, 6)).toEqual([
      {
        description: 'jit off, PostgreSQL 15, as loaded',
        engine: { version: '15', parameters: { jit: 'off' } },
      },
      {
        description: 'jit off, PostgreSQL 15, VACUUM FULL',
        engine: { version: '15', parameters: { jit: 'off' } },
        prepare: ['VACUUM FULL'],
      },
    ]);
  });

  test('gives all variants the one version that is named', async () => {
    const { text } = await planned('--version', '15', '--set', 'jit=on,off');
    expect(parse(text)).toMatchObject({ common: { engine: { version: '15' } } });
  });

  test('measures settings of checkpoints for longer, on more data, and at changing phases', async () => {
    const { text } = await planned('--set', 'max_wal_size=1GB,4GB');
    expect(parse(text)).toMatchObject({
      workload: { scale: 50, durationSeconds: 20 },
      protocol: { phaseSeconds: 15 },
    });
  });

  test('warns if two values alone take more than ten minutes with the fewest blocks for a verdict', async () => {
    const { stderr, exitCode } = await dry(temporaryFolder(), '--set', 'jit=on,off', '--seconds', '60');
    expect(exitCode).toBe(0);
    expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
      /^warning: even 6 blocks, .* ten minutes of a try\. Shorten the trials \(--seconds\)\./,
    );
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `${64 + index}kB`).join();
  test.each([
    [
      ['--set', 'full_page_writes=on,off', '--set', 'wal_compression=off,lz4'],
      /asks for 4 variants.* time for ([23]) in/,
    ],
    [['--set', `work_mem=${names(12)}`], /asks for 12 variants.* time for (\d) in .* Compare fewer values/],
    [['--set', `work_mem=${names(300)}`], /asks for 300 variants.* time for (\d) in .* Compare fewer values/],
    [
      Array.from({ length: 12 }, (_, index) => ['--set', `parameter_${index}.x=${names(10)}`]).flat(),
      /asks for 1,000,000,000,000 variants.* time for (\d) in/,
    ],
  ])('refuses more variants than there is time for, and says how many there is for: %j', async (words, message) => {
    const { stderr, exitCode } = await dry(temporaryFolder(), ...words);
    const printed = stderr.replaceAll(/\s+/g, ' ');
    expect({ exitCode, printed }).toEqual({ exitCode: 2, printed: expect.stringMatching(message) as string });
    if (!words[1]?.startsWith('work_mem')) return;
    const most = Number(message.exec(printed)?.[1]);
    await planned('--set', `work_mem=${names(most)}`);
    expect((await dry(temporaryFolder(), '--set', `work_mem=${names(most + 1)}`)).exitCode).toBe(2);
  });

  test('looks first at six blocks, however many there is time for', async () => {
    const { plan } = await planned('--set', 'jit=on,off', '--seconds', '1');
    expect(plan.blocks).toBeGreaterThan(56);
    expect(plan.claims).toMatchObject({ earliestStop: 6, blocksForVerdict: 6 });
    expect(plan.expectedSeconds).toBeLessThan(550);
  });

  test('takes a value with a comma, a quote or blanks, and none, in single quotes', async () => {
    const { plan, text } = await planned(
      ...['--set', "cluster_name='a, b','it''s',''", '--set', "log_line_prefix='%m '"],
    );
    expect(plan.question).toBe("Does throughput depend on cluster_name ('a, b' or it's or '')?");
    const { common, variants } = parse(text) as {
      common: { engine: { parameters: object } };
      variants: Record<string, { engine: { parameters: object } }>;
    };
    expect(common.engine.parameters).toMatchObject({ log_line_prefix: '%m ' });
    expect(Object.values(variants).map(({ engine }) => engine.parameters)).toEqual([
      { cluster_name: 'a, b' },
      { cluster_name: "it's" },
      { cluster_name: '' },
    ]);
    const [command = ''] = text.split('\n');
    const setting = /--set (\S.*) --set/.exec(command)?.[1]?.replaceAll("'\\''", '"').replaceAll("'", '');
    expect(setting?.replaceAll('"', "'")).toBe("cluster_name='a, b',it's,''");
  });

  test('says of fsync that what is not synced reaches the disk in other trials, but not where all variants are alike', async () => {
    const warned = async (...words: string[]) =>
      (await planned(...words)).plan.warnings.map(({ message }) => message).join();
    expect(await warned('--set', 'fsync=on,off')).toMatch(
      /^Less durable: fsync-off\. .*,fsync is off only in fsync-off\. .* look better than it is\.$/,
    );
    expect(await warned('--set', 'fsync=off', '--set', 'jit=on,off')).toBe('');
    expect(await warned('--set', 'fsync=on', '--set', 'jit=on,off')).toBe('');
  });

  test.each(['autovacuum_naptime=1s,1min', 'log_autovacuum_min_duration=0,-1'])(
    'takes %s with autovacuum',
    async (one) => {
      await planned('--set', one, '--set', 'autovacuum=on');
    },
  );

  test('warns if no trial lasts until a timed checkpoint', async () => {
    const warned = async (times: string) => {
      const { stderr } = await dry(temporaryFolder(), '--set', `checkpoint_timeout=${times}`);
      return stderr.replaceAll(/\s+/g, ' ').includes('before any checkpoint_timeout here');
    };
    expect(await warned('5min,30min')).toBe(true);
    expect(await warned('30s,5min')).toBe(false);
  });

  test('says as the shortest time that of the first look at which every variant can have a verdict', async () => {
    const words = ['try', '--dry-run', '--set', 'jit=on,off', '--set', 'work_mem=4MB,8MB', '--seconds', '2'];
    const { stdout } = await runCommandLine(words, { workingFolder: temporaryFolder() });
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/ if 8 blocks are enough, otherwise up to about /);
  });

  test('takes a script, a scale, clients and a length of the user’s own', async () => {
    const folder = temporaryFolder();
    writeFileSync(path.join(folder, 'mine.sql'), 'SELECT 1;\n');
    const words = ['--script', 'mine.sql', '--scale', '3', '--clients', '2', '--seconds', '4'];
    const { stdout, stderr, exitCode } = await dry(folder, '--set', 'jit=on,off', ...words);
    expect(exitCode, stderr).toBe(0);
    expect((JSON.parse(stdout) as Plan).workload.flat().join(' ')).toContain('mine.sql');
    expect(stderr).toMatch(/scale: 3\n.*clients: 2\n.*threads: \d\n.*durationSeconds: 4/);
    expect(stderr).toContain(
      '# npx --no-install pgduet try --set jit=on,off --script mine.sql --scale 3 --clients 2 --seconds 4',
    );
  });

  test('says what a plan leaves open before a script of the user’s own is tried', async () => {
    const printed = async (...words: string[]) => (await dry(withDump(), ...words)).stderr.replaceAll(/\s+/g, ' ');
    const own = ['--set', 'jit=on,off', '--script', 'q.sql'];
    expect(await printed(...own)).toContain(
      'q.sql was not tried. If one of its transactions takes more than 0.25 s, trials become longer, and the average latency decides instead of throughput.',
    );
    expect(await printed(...own, '--seconds', '20')).toContain('more than 1 s, the average latency decides instead of');
    expect(await printed('--set', 'jit=on,off')).not.toContain('was not tried');
  });

  test('has no more clients than processors, and no more than four', async () => {
    const clients = Math.min(4, availableParallelism());
    expect(parse((await planned('--set', 'jit=on,off')).text)).toMatchObject({
      workload: { clients, threads: clients },
    });
  });

  test('stands for an experiment that its file says in full', async () => {
    const folder = temporaryFolder();
    const { plan, text } = await planned('--set', 'random_page_cost=4,1.1', '--seed', '7');
    const file = path.join(folder, 'try-random-page-cost.yaml');
    writeFileSync(file, text);
    const { experiment } = loadExperiment(file, { folder, profile: 'local' });
    expect(Object.keys(experiment.variants)).toEqual(plan.variants);
    expect(experiment.protocol.blocks).toBe(plan.blocks);
  });

  test('shows a command that a shell reads as it was, whatever is in its values', async () => {
    const { text } = await planned('--set', "log_line_prefix=%m it's,%m\nname: other");
    expect(text.split('\n')[0]).toBe(
      "# npx --no-install pgduet try --set 'log_line_prefix=%m it'\\''s,%m name: other'",
    );
    expect(parse(text)).toMatchObject({ name: 'try-log-line-prefix' });
  });

  test('writes over no file that is there', async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'mine.yaml');
    writeFileSync(file, 'mine\n');
    const { stderr, exitCode } = await dry(folder, '--set', 'jit=on,off', '--keep-file', 'mine.yaml');
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining('exists') as string });
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
    expect(existsSync(path.join(folder, 'results'))).toBe(false);
  });

  test('writes the file although nothing is to be measured, and no folder for one with a mistake', async () => {
    const folder = temporaryFolder();
    const { stderr } = await dry(folder, '--set', 'jit=on,off', '--keep-file', 'new/mine.yaml');
    expect(stderr).toContain('saved as new/mine.yaml.');
    expect(readFileSync(path.join(folder, 'new/mine.yaml'), 'utf8')).toContain('name: mine');
    await dry(folder, '--set', 'jitt=on,off', '--keep-file', 'other/mine.yaml');
    expect(existsSync(path.join(folder, 'other'))).toBe(false);
  });

  test('lists the first steps of a plan, and says how many follow', async () => {
    const { stdout } = await runCommandLine(['try', '--dry-run', '--set', 'jit=on,off'], {
      workingFolder: temporaryFolder(),
    });
    expect(stdout).toContain('can show');
    expect(stdout.match(/position/g)).toHaveLength(6);
    expect(stdout).toMatch(/\d+ more steps follow, up to block 30/);
  });
});
