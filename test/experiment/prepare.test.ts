import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { declaredValues } from '../../runner/analysis/undeclared-differences.ts';
import { controlsOf } from '../../runner/experiment/groups.ts';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import { questionOf } from '../../runner/experiment/question.ts';
import { renderPlan } from '../../runner/report/terminal/plan-text.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const index = 'CREATE INDEX ON pgbench_accounts (abalance)';

function load(variants: object, changes: object = {}) {
  const folder = folderWithExperiment('small', stringify({ ...smallExperiment(), variants, ...changes }));
  return loadExperiment('small', { folder }).experiment;
}

function problemOf(prepare: unknown, changes: object = {}): string {
  try {
    load({ a: {}, b: { prepare } }, changes);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
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

  it.each([
    ['', 'variants.b.prepare'],
    [[], 'variants.b.prepare'],
    ['indexes.sql', 'variants.b.prepare: "indexes.sql": pgduet sends it to the server as it is; write the SQL itself'],
    ['\\i indexes.sql', 'without files and commands of psql'],
    [
      ['CREATE INDEX ON pgbench_accounts (bid', 'abalance)'],
      'the comma before "abalance)" has ended it; write each statement in a line of its own',
    ],
  ])('cannot be %j', (prepare, message) => {
    expect(problemOf(prepare)).toContain(message);
  });

  it.each([[{ data: { snapshot: 'loaded' } }], [{ data: { keep: true } }]])(
    'is refused where variants hold one snapshot: %j',
    (changes) => {
      expect(problemOf(index, changes)).toContain(
        'variants.b.prepare: all variants that are restored from a snapshot of pgduet hold the same; leave out either this',
      );
    },
  );

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
