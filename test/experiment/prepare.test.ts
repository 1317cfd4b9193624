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
