import { expect, test } from 'vitest';
import { withComparedValues } from '../../../runner/analysis/ladder/compared-values.ts';
import { assembleResult } from '../../../runner/analysis/assemble.ts';
import { recordSample, seriesInMemory } from '../../helpers/samples/sample-result.ts';
import { cellsOf } from '../../helpers/shown/section-tables.ts';

/** Two variants at three levels. The pairs say something else than the medians: a bad block hits one side alone. */
async function ladderResult() {
  const { run, trials, endedAt } = recordSample({ blocks: 6 });
  run.experiment.definition.workload['clients'] = [2, 4, 8];
  const climbed = trials.flatMap((trial) =>
    [2, 4, 8].map((clients) => {
      const factor = trial.block === 2 && trial.conditions.variant === 'with-log-volume' ? 0.6 : 1;
      const tps = 100 * clients * factor * (1 + 0.07 * ((trial.block * clients) % 5)) * (trial.position + 1);
      const conditions = { clients, variant: trial.conditions.variant };
      return { ...trial, id: `${trial.id}-${clients}`, conditions, measures: { ...trial.measures, tps } };
    }),
  );
  return assembleResult({ run, steps: [], trials: climbed }, { endedAt }, seriesInMemory(new Map()));
}

test('a ladder shows at each level the values that the comparisons of the level show', async () => {
  const result = await ladderResult();
  const cells = cellsOf(result, 'ladder').map((row) => row.slice(1, 3).map((cell) => cell.replace(/ .*/, '')));
  expect(cells).toHaveLength(3);
  const variantValues = cellsOf(result, 'variants').map((row) => row[3]);
  expect(cells.flat()).toEqual(variantValues);
  expect(withComparedValues(result.ladders ?? [], result.comparisons)).toEqual(result.ladders);
});
