import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { declaredValues } from '../../runner/analysis/undeclared-differences.ts';
import { controlsOf } from '../../runner/experiment/groups.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { questionOf } from '../../runner/experiment/question.ts';
import { renderPlan } from '../../runner/report/terminal/plan-text.ts';
import { filesOf, workloadOf } from '../../runner/workloads/of-variants.ts';
import { codeOf } from '../../runner/experiment/trust.ts';
import { ExperimentProblems } from '../../runner/experiment/file/problems.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const index = 'CREATE INDEX ON pgbench_accounts (abalance)';

function load(variants: object, changes: object = {}) {
  const folder = folderWithExperiment('small', stringify({ ...smallExperiment(), variants, ...changes }));
  return loadExperiment('small', { folder }).experiment;
}

describe('what is run on a variant after loading', () => {
  it.each([
    [index, [index]],
    [` ${index} ;\n`, [index]],
    [
      [index, 'ALTER TABLE pgbench_accounts SET (fillfactor = 90);'],
      [index, 'ALTER TABLE pgbench_accounts SET (fillfactor = 90)'],
    ],
  ])('is %j, in a list', (prepare, expected) => {
    expect(load({ a: {}, b: { prepare } }).variants['b']?.prepare).toEqual(expected);
  });

  it('is a difference: of the plan, of the question, and declared', () => {
    const experiment = load({ a: {}, b: { prepare: index } });
    const plan = makePlan(experiment, 'full');
    expect(plan.differences).toEqual([
      {
        property: 'prepare',
        values: [
          { value: null, variants: ['a'] },
          { value: index, variants: ['b'] },
        ],
      },
    ]);
    expect(plan.steps.find(({ kind }) => kind === 'load')).toMatchObject({ prepare: { b: [index] } });
    expect(plan.assumptions).toContain('without what prepare runs');
    expect(renderPlan(plan, null, { columns: 200 })).toContain(`prepare: unset (a), ${index} (b)`);
    expect(questionOf(experiment, '').asks).toContain(index);
    expect(questionOf(experiment, '').id).not.toBe(questionOf(load({ a: {}, b: { prepare: `${index}, 1` } }), '').id);
    const definition = { ...experiment, groups: [] };
    expect(
      declaredValues({ experiment: { definition } } as unknown as Parameters<typeof declaredValues>[0], 'b').get(
        'prepare',
      ),
    ).toBe(JSON.stringify(index));
  });

  it('makes no control of a variant that has it, and one of a variant with the same', () => {
    const experiment = load({ a: { prepare: index }, b: { prepare: index }, c: {} });
    expect(controlsOf(experiment)).toEqual(['b']);
  });

  it('stands in the plan where all variants have the same', () => {
    const text = renderPlan(
      makePlan(load({ a: { prepare: index }, b: { prepare: index, dedicatedLogVolume: true } }), 'full'),
      null,
      {
        columns: 200,
      },
    );
    expect(text).toMatch(new RegExp(`prepared by +${index.replaceAll(/[()]/g, '\\$&')}\\n`));
  });
});

/** Loads an experiment with these files beside it. */
function loadBeside(files: Readonly<Record<string, string>>, variants: object, changes: object = {}) {
  const folder = folderWithExperiment('small', stringify({ ...smallExperiment(), variants, ...changes }));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, 'experiments', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return loadExperiment('small', { folder });
}

describe('files of prepare', () => {
  const migrations = {
    'migrations/10.sql': 'SELECT 1;\n',
    'migrations/2.sql': 'SELECT 1;\n',
    'migrations/notes.txt': '',
    'index.sql': `${index};\n`,
  };

  it('stand for a folder in the order of their names, with statements and other files before and after', () => {
    const { experiment } = loadBeside(migrations, { a: {}, b: { prepare: [index, 'migrations/', 'index.sql'] } });
    const prepare = [index, 'migrations/10.sql', 'migrations/2.sql', 'index.sql'];
    expect(experiment.variants['b']?.prepare).toEqual(prepare);
    expect(makePlan(experiment, 'full').steps).toContainEqual(
      expect.objectContaining({ kind: 'load', prepare: { b: prepare } }),
    );
  });

  it('are inputs that the loaded data depends on, and that a stranger’s experiment is shown with', () => {
    const loaded = loadBeside(migrations, { a: {}, b: { prepare: ['migrations/'] } });
    const files = ['migrations/10.sql', 'migrations/2.sql'];
    expect(filesOf(loaded.experiment)).toEqual({ trial: [], load: files, all: files });
    expect(codeOf(loaded).names).toEqual(files);
  });

  it.each([
    ['a folder without SQL', { 'migrations/notes.txt': '' }, 'migrations/', 'prepare-folder'],
    ['a name with blanks', { 'migrations/a b.sql': '' }, 'migrations/', 'prepare-folder'],
    ['another database', { 'index.sql': '\\connect other\n' }, 'index.sql', 'script'],
    ['a part', { 'index.sql': '\\quit\nSELECT 1;\n' }, 'index.sql', 'script'],
  ])('are refused at their key: %s', (_, files, prepare, rule) => {
    try {
      loadBeside(files, { a: {}, b: { prepare } });
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof ExperimentProblems)) throw error;
      expect(error.problems).toMatchObject([{ rule, path: 'variants.b.prepare' }]);
    }
  });
});

describe('scripts of a variant', () => {
  const scripts = [{ builtin: 'select-only', weight: 1 }];
  const variants = { a: {}, b: { scripts } };

  it('take the place of those of the workload, on that variant', () => {
    const experiment = load(variants);
    expect(workloadOf(experiment, 'a')).toBe(experiment.workload);
    expect(workloadOf(experiment, 'b')).toEqual({ ...experiment.workload, scripts });
  });

  it('are files of the experiment, as those of the workload', () => {
    const { experiment } = loadBeside({ 'look.sql': 'SELECT 1;\n' }, { a: {}, b: { scripts: [{ file: 'look.sql' }] } });
    expect(filesOf(experiment)).toEqual({ trial: ['look.sql'], load: [], all: ['look.sql'] });
  });

  it('are a difference: of the plan, of the question, and declared', () => {
    const experiment = load(variants);
    const plan = makePlan(experiment, 'full');
    expect(plan.differences).toMatchObject([{ property: 'scripts' }]);
    expect(Object.fromEntries(plan.workload)['scripts']).toBe('all tpcb-like (a); all select-only (b)');
    expect(questionOf(experiment, '').asks).toMatch(/ in select-only and tpcb-like$/);
    const result = { experiment: { definition: { ...experiment, groups: [] } } };
    expect(declaredValues(result as unknown as Parameters<typeof declaredValues>[0], 'b').get('scripts')).toBeDefined();
    expect(controlsOf(experiment)).toEqual([]);
  });

  it.each([
    ['which every variant has', 'tpcb-like', []],
    ['which one variant has', 'select-only', ['deciding-script']],
  ])('decide by a script %s', (_, script, rules) => {
    const both = [...scripts, { builtin: 'tpcb-like' }];
    const others = [{ builtin: 'simple-update' }, { builtin: 'tpcb-like' }];
    const decision = { metric: 'latency.p99', script };
    const found = (): unknown[] => {
      try {
        load({ a: { scripts: both }, b: { scripts: others } }, { decision });
        return [];
      } catch (error) {
        if (!(error instanceof ExperimentProblems)) throw error;
        return error.problems.map(({ rule }) => rule);
      }
    };
    expect(found()).toEqual(rules);
  });
});
