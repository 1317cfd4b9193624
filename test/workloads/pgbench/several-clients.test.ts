import { expect, test } from 'vitest';
import { compareTrials } from '../../../runner/analysis/compare.ts';
import type { MeasureStep } from '../../../runner/contract/plan.ts';
import { loadExperiment } from '../../../runner/experiment/file/load.ts';
import { makePlan } from '../../../runner/experiment/plan/plan.ts';
import { toolOf } from '../../../runner/workloads/registry.ts';
import { folderWithExperiment, smallExperiment } from '../../helpers/samples/experiment-file.ts';
import { trial } from '../../helpers/samples/measured-trial.ts';

function load(workload: Record<string, unknown>): ReturnType<typeof loadExperiment> {
  const small = smallExperiment();
  const folder = folderWithExperiment('small', { ...small, workload: { ...small.workload, ...workload } });
  return loadExperiment('small', { folder, profile: undefined });
}

test('a list of clients is planned: each block holds every variant once at each of them', () => {
  const { experiment } = load({ clients: [8, 16] });
  const plan = makePlan(experiment, 'full');
  expect(plan.levels).toEqual([{ clients: 8 }, { clients: 16 }]);
  const steps = plan.steps.filter((step): step is MeasureStep => step.kind === 'measure');
  for (let block = 1; block <= plan.blocks; block++) {
    const conditions = steps.filter((step) => step.block === block).flatMap(({ trials }) => trials);
    expect(conditions.map((one) => `${one.conditions.variant} ${one.conditions['clients'] ?? ''}`).sort()).toEqual([
      'a 16',
      'a 8',
      'b 16',
      'b 8',
    ]);
  }
  const ids = steps.flatMap(({ trials }) => trials.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
});

test('what one trial runs has its own number of clients', () => {
  const { experiment } = load({ clients: [8, 16] });
  const tool = toolOf(experiment.workload);
  expect(tool.shape(tool.resolveLevel(experiment.workload, { clients: 16 })).clients).toBe(16);
});

test('more threads than the fewest clients, and a number that is listed twice, are refused', () => {
  expect(() => load({ clients: [2, 16], threads: 4 })).toThrow(
    /threads: 4: more threads than clients; expected at most 2/,
  );
  expect(() => load({ clients: [8, 8] })).toThrow(/clients\.1.*: 8 is listed twice/);
  expect(() => load({ clients: [] })).toThrow(/clients/);
});

test('two scripts that results would call the same are refused, with what to do', () => {
  const scripts = (...listed: object[]) => load({ clients: 2, scripts: listed });
  expect(() => scripts({ builtin: 'select-only' }, { builtin: 'select-only' })).toThrow(
    /listed twice; give it a weight/,
  );
  expect(() => scripts({ builtin: 'select-only' }, { file: 'select-only.sql' })).toThrow(
    /scripts\.1.*results would call two scripts select-only; rename one of them/,
  );
});

test('trials are paired at each number of clients by itself, and judged together', () => {
  const trials = [1, 2, 3, 4, 5, 6, 7].flatMap((block) => [
    trial('a', block, { tps: 100 + block }, { level: { clients: 8 } }),
    trial('b', block, { tps: 2 * (100 + block) }, { level: { clients: 8 } }),
    trial('a', block, { tps: 1000 + block }, { level: { clients: 16 } }),
    trial('b', block, { tps: 3 * (1000 + block) }, { level: { clients: 16 } }),
  ]);
  const { comparisons } = compareTrials({
    trials,
    contrasts: [8, 16].map((clients) => ({ baseline: 'a', candidate: 'b', level: { clients } })),
    decision: { metric: 'tps', practicalThreshold: 0.05, level: 0.95 },
    controls: [],
    limit: 'time',
    claims: {
      scope: 'this-machine',
      sharesMachine: true,
      unit: 'block',
      exchanges: 0,
      replicas: 1,
      drawn: true,
      obstacles: [],
    },
  });
  const primary = comparisons.filter((comparison) => comparison.primary);
  expect(primary.map(({ conditions }) => conditions)).toEqual([{ clients: 8 }, { clients: 16 }]);
  expect(primary.map(({ change }) => change?.toFixed(6))).toEqual(['1.000000', '2.000000']);
  expect(primary.map(({ pairs }) => pairs.length)).toEqual([7, 7]);
  expect(primary.map(({ verdict }) => verdict)).toEqual(['better', 'better']);
});
