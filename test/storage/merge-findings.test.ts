import { expect, it } from 'vitest';
import { mergeFindings } from '../../runner/storage/stored-run.ts';

it('why collectors have no values is told of each; of other facts, lists are joined, and the last value counts', () => {
  const { facts } = mergeFindings([
    { facts: { absent: { volumes: 'elsewhere' }, problems: ['a'], restarted: true } },
    { facts: { absent: { statements: 'not loaded' }, problems: ['b'], restarted: false } },
    {},
  ]);
  expect(facts).toEqual({
    absent: { volumes: 'elsewhere', statements: 'not loaded' },
    problems: ['a', 'b'],
    restarted: false,
  });
  expect(mergeFindings([{ facts: {} }]).facts).toEqual({});
});
