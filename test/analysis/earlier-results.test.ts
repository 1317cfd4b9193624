import path from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from '../../runner/analysis/open-result.ts';
import { trialSchema } from '../../runner/contract/trial.ts';

const folder = path.resolve(import.meta.dirname, '../fixtures/results/v2');

it('a script and a check of a result of an earlier pgduet have their names of now, so that it compares with a new one', async () => {
  const { result } = await openFolder(folder);
  expect(new Set(result.trials.map(({ facts }) => facts.identity?.['scripts']))).toEqual(new Set(['simple update']));
  const states = result.trials.flatMap(({ checks }) => checks.map(({ state }) => state));
  expect(new Set(states)).toEqual(new Set(['pass', 'warn', 'not-assessed']));
});

it.each([
  ['builtin: select only (weight 3) + builtin: TPC-B (sort of)', 'select only (weight 3) + TPC-B (sort of)'],
  ['order.sql + builtin: select only', 'order.sql + select only'],
  ['my builtin: x.sql', 'my builtin: x.sql'],
])('the scripts %s of an earlier result are %s', (scripts, now) => {
  expect(trialSchema.shape.facts.parse({ identity: { scripts, clients: 2 } }).identity).toEqual({
    scripts: now,
    clients: 2,
  });
});
