import { expect, it } from 'vitest';
import { type Part, partsOf } from '../../bench/parts.ts';

const known: Record<string, Part> = {
  start: { run: () => undefined },
  synth: { run: () => undefined },
  overhead: { run: () => undefined, takesWords: true },
};

it('measures several parts in the order in which they are named', () => {
  expect(partsOf(['synth', 'start'], known)).toMatchObject([
    { run: known['synth']?.run, words: [] },
    { run: known['start']?.run, words: [] },
  ]);
});

it('gives a part the words that follow it, up to the next part', () => {
  expect(partsOf(['overhead', 'output', 'start'], known)).toMatchObject([
    { run: known['overhead']?.run, words: ['output'] },
    { run: known['start']?.run, words: [] },
  ]);
});

it.each([[['start', 'sinth']], [['sinth']], [['toString']]])(
  'refuses %j and names the parts that there are',
  (words) => {
    expect(partsOf(words, known)).toBe(`There is no bench "${words.at(-1)}"; there are: start, synth, overhead.`);
  },
);

it('asks for a part if none is named', () => {
  expect(partsOf([], known)).toBe('Name what to measure: start, synth, overhead.');
});
