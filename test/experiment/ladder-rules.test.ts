import { expect, test } from 'vitest';
import { loadExperiment } from '../../runner/experiment/file/load.ts';
import { makePlan } from '../../runner/experiment/plan/plan.ts';
import type { MeasureStep } from '../../runner/contract/plan.ts';
import { folderWithExperiment, smallExperiment } from '../helpers/samples/experiment-file.ts';

const reason = 'HammerDB fills its caches on the way up';

function load(workload: object, ladder: object, protocol: object = {}): ReturnType<typeof loadExperiment> {
  const small = smallExperiment();
  const content = { ...small, workload: { ...small.workload, threads: 1, ...workload }, ladder, protocol };
  return loadExperiment('small', { folder: folderWithExperiment('small', content), profile: undefined });
}

test('a ladder that rises climbs every block from the lowest level, with its variants in random order at each', () => {
  const { experiment } = load({ clients: [2, 4, 8] }, { order: 'rising', reason }, { blocks: 20, seed: 3 });
  const steps = makePlan(experiment, 'full').steps.filter((step): step is MeasureStep => step.kind === 'measure');
  const blocks = Array.from({ length: 20 }, (_, index) => steps.filter(({ block }) => block === index + 1));
  for (const block of blocks) {
    expect(block.flatMap(({ trials }) => trials.map(({ conditions }) => conditions['clients']))).toEqual([
      2, 2, 4, 4, 8, 8,
    ]);
  }
  const first = blocks.map(([step]) => step?.trials[0]?.conditions.variant);
  expect(new Set(first)).toEqual(new Set(['a', 'b']));
});

test('a ladder in random order does not climb every block the same way', () => {
  const { experiment } = load({ clients: [2, 4, 8] }, {}, { blocks: 20, seed: 3 });
  const steps = makePlan(experiment, 'full').steps.filter((step): step is MeasureStep => step.kind === 'measure');
  const lowest = steps.filter(({ position }) => position === 1).map(({ trials }) => trials[0]?.conditions['clients']);
  expect(new Set(lowest)).toEqual(new Set([2, 4, 8]));
});

test('rates are levels, too', () => {
  const { experiment } = load({ rate: [100, 200] }, {});
  expect(makePlan(experiment, 'full').levels).toEqual([{ rate: 100 }, { rate: 200 }]);
});
