import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { makePlan } from '../../../runner/experiment/plan/plan.ts';
import { toolOf } from '../../../runner/workloads/registry.ts';
import { folderWithExperiment, smallExperiment } from '../../helpers/samples/experiment-file.ts';

const own = {
  tool: 'own-data',
  clients: 4,
  threads: 2,
  durationSeconds: 10,
  load: { sql: ['made.sql'] },
  scripts: [{ file: 'mix.sql' }],
};
const snapshot = { snapshot: 'shop', database: 'shop', expect: ['SELECT true'] };

function load(workload: object, changes: object = {}) {
  const folder = folderWithExperiment('small', { ...smallExperiment(), workload, ...changes });
  for (const file of ['made.sql', 'mix.sql', 'reset.sql', 'app.dump']) {
    writeFileSync(path.join(folder, 'experiments', file), file === 'app.dump' ? 'PGDMP' : 'SELECT 1;\n');
  }
  return loadExperiment('small', { folder });
}

function problemsOf(...request: Parameters<typeof load>): string {
  try {
    load(...request);
  } catch (error) {
    return (error as Error).message;
  }
  return 'none';
}

describe('a load of one’s own data', () => {
  test.each([
    [{ sql: ['made.sql'] }],
    [{ dump: 'app.dump', sizeGib: 3, expect: ['SELECT true'] }],
    [{ dump: 'app.dump', sql: ['made.sql'] }],
    [snapshot],
  ])('is %j', (data) => {
    expect(load({ ...own, load: data }).experiment.workload['load']).toMatchObject(data);
  });

  test.each([
    [{ load: {} }, 'workload.load.sql: missing'],
    [{ scale: 10 }, 'workload.scale: own data has no scale; remove this key. If a script reads :scale,'],
    [{ scripts: undefined }, 'workload.scripts: missing'],
    [{ scripts: [{ file: 'mix.sql' }, { builtin: 'tpcb-skewed' }] }, 'workload.scripts.1.builtin: built-in scripts'],
    [
      { tool: 'pgbench', scale: 1 },
      'workload.load.sql: pgbench loads its own tables; for your data, set tool: own-data',
    ],
    [{ load: { sql: [] } }, 'workload.load.sql: []: expected a list of at least 1'],
    [{ load: { dmp: 'app.dump' } }, 'workload.load.dmp: unknown key; did you mean "dump"?'],
    [{ load: { ...snapshot, dump: 'app.dump' } }, 'workload.load.dump: cannot be combined with the other keys here'],
    [{ load: { snapshot: 'shop', database: 'shop' } }, 'workload.load.expect: missing'],
    [{ load: { ...snapshot, user: 'x y' } }, 'workload.load.user: "x y": expected the name of a master user'],
    [{ load: { dump: 'lost.dump' } }, 'names the file lost.dump, which is not in'],
    [{ load: { sql: ['made.sql'], files: ['lost.csv'] } }, 'names the file lost.csv, which is not in'],
    [{ load: { sql: ['made.sql'], reset: ['lost.sql'] } }, 'names the file lost.sql, which is not in'],
    [{ load: { sql: ['made.sql'], expectedResetSeconds: 3 } }, 'expectedResetSeconds: 3: requires load.reset'],
  ])('with %j is refused, with the remedy', (changes, problem) => {
    expect(problemsOf({ ...own, ...changes })).toContain(problem);
  });

  test.each([
    [own, 'truncate-history', 'not a reset step of own-data; expected one of restore,'],
    [own, 'tool-default', 'not a reset step of own-data; expected one of restore,'],
    [own, 'own-reset', 'it runs the files in workload.load.reset, which is missing;'],
    [{ ...own, load: { ...snapshot, database: 'postgres' } }, 'restore', 'pgduet cannot replace the database postgres'],
    [smallExperiment().workload, 'own-reset', 'not a reset step of pgbench; expected one of restore,'],
  ])('of %j refuses the reset step %s', (workload, step, problem) => {
    const message = problemsOf(workload, { protocol: { reset: [step] } });
    expect(message).toContain(`protocol.reset.0: "${step}": ${problem}`);
  });

  test('is reset by a copy, or by files of one’s own where there are some', () => {
    expect(load(own).experiment.protocol.reset).toEqual(['restore', 'checkpoint']);
    const withFiles = { ...own, load: { dump: 'app.dump', reset: ['reset.sql'] } };
    expect(load(withFiles).experiment.protocol.reset).toEqual(['own-reset', 'checkpoint']);
  });

  test('is replaced as a whole by a profile that names other data', () => {
    const profiles = { small: { workload: { load: { sql: ['made.sql'] } } } };
    const both = { ...own, load: { dump: 'app.dump', sql: ['made.sql'] } };
    const folder = folderWithExperiment('small', { ...smallExperiment(), workload: both, profiles });
    for (const file of ['made.sql', 'mix.sql']) writeFileSync(path.join(folder, 'experiments', file), 'SELECT 1;\n');
    const { experiment } = loadExperiment('small', { folder, profile: 'small' });
    expect(experiment.workload['load']).not.toHaveProperty('dump');
  });

  test('takes along all its files, and depends on those that it loads from', () => {
    const data = { sql: ['made.sql'], files: ['app.dump'], reset: ['reset.sql'] };
    const { workload } = load({ ...own, load: data }).experiment;
    const tool = toolOf(workload);
    expect(tool.files(workload)).toEqual(['mix.sql', 'reset.sql', 'made.sql', 'app.dump']);
    expect(tool.loadFiles(workload)).toEqual(['made.sql', 'app.dump']);
    expect(tool.trialFiles(workload)).toEqual(['mix.sql', 'reset.sql', 'made.sql', 'app.dump']);
    const { workload: restored } = load({ ...own, load: { dump: 'app.dump', sql: ['made.sql'] } }).experiment;
    expect(tool.trialFiles(restored)).toEqual(['mix.sql']);
    expect(tool.loadFiles(restored)).toEqual(['app.dump', 'made.sql']);
    expect(tool.loadedBy(restored)).toEqual({ dump: 'app.dump', sql: ['made.sql'] });
    expect(tool.words(restored).facts).toContainEqual(['data', 'own data from app.dump, made.sql']);
    expect(tool.growingTable).toBeNull();
  });
});

describe('a snapshot of one’s own', () => {
  const restoring = { ...own, load: snapshot };

  test('is refused beside one that pgduet has kept, and where another is to be kept', () => {
    expect(problemsOf(restoring, { data: { snapshot: 'kept' } })).toContain(
      'data.snapshot: "kept": workload.load.snapshot already restores the variants from shop; remove one of the two',
    );
    expect(problemsOf(restoring, { data: { keep: true } })).toContain('the data comes from snapshot shop');
  });

  test('is refused on this machine, with the way to load the same data there', () => {
    const profiles = { local: { common: { storage: { type: 'local' }, engine: { version: 'installed' } } } };
    expect(problemsOf(restoring, { variants: { a: {}, b: {} }, profiles })).toContain(
      'workload.load.snapshot: "shop": only RDS can restore a snapshot; in profiles with local storage, load the data from files: load: { dump: app.dump }',
    );
  });

  test('is touched instead of loaded', () => {
    const { steps } = makePlan(load(restoring).experiment, 'full');
    expect(steps.map(({ kind }) => kind).slice(0, 3)).toEqual(['create', 'touch', 'measure']);
  });
});

describe('a plan with one’s own data', () => {
  const planOf = (changes: object) =>
    makePlan(load({ ...own, load: { dump: 'app.dump', ...changes } }).experiment, 'full');

  test('foretells by the declared size, and says that it is declared', () => {
    const plan = planOf({ sizeGib: 10 });
    expect(plan.steps.find(({ kind }) => kind === 'load')?.expectedSeconds).toBeCloseTo((2 * 10 * 2 ** 30) / 30e6, 0);
    expect(plan.assumptions).toContain('10 GiB of own data (declared as workload.load.sizeGib)');
    expect(plan.assumptions).toContain(
      'without trying each script on each server after loading (at most 5 minutes a transaction)',
    );
    expect(plan.expectedSeconds).toBeGreaterThan(0);
  });

  test('foretells nothing of what nobody declares, and says so', () => {
    const plan = planOf({ reset: ['reset.sql'] });
    expect(plan.expectedSeconds).toBeNull();
    expect(plan.resetSteps[0]).toEqual({ step: 'own-reset', expectedSeconds: null });
    expect(plan.assumptions).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^no expected duration of steps that depend on the size of own data from app\.dump/),
        expect.stringMatching(/^no expected duration of own-reset/),
      ]),
    );
  });

  test('says what is loaded', () => {
    expect(planOf({}).workload).toEqual([
      ['data', 'own data from app.dump'],
      ['load', '4 clients on 2 threads'],
      ['scripts', 'all mix.sql'],
    ]);
  });
});
