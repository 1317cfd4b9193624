import { expect, it } from 'vitest';
import { unknownWords } from '../../runner/analysis/verdict.ts';
import type { UnknownBlock } from '../../runner/contract/comparison.ts';

const lost = (block: number, why = 'two failed in measure: the server ended', replica?: number): UnknownBlock => ({
  block,
  reason: 'lost',
  trials: [`block-${block}`],
  why,
  ...(replica !== undefined && { replica }),
});
const noValue: UnknownBlock = { block: 6, reason: 'no-value', trials: [], why: 'two measured no latency.p99' };
const cut: UnknownBlock = { block: 4, reason: 'cut-off', trials: [], why: 'two interrupted in measure: SIGINT' };

it.each([
  [[lost(3)], 'block 3 is unknown (a trial of it was lost: two failed in measure: the server ended)'],
  [
    [lost(2, 'it stalled', 1), cut, lost(5, 'it stalled', 2)],
    'blocks 2 on replica 1 and 5 on replica 2 are unknown (each: a trial of it was lost: it stalled), block 4 is unknown (it was cut off when its figures could already be seen, and then measured again: two interrupted in measure: SIGINT)',
  ],
  [[noValue], 'block 6 is unknown (it has no value of the metric that decides: two measured no latency.p99)'],
])('names each block that is unknown, with its reason', (unknown, words) => {
  expect(unknownWords(unknown)).toBe(words);
});

it('says once why blocks are unknown that were lost for the same reason', () => {
  const words = unknownWords([2, 5, 6, 9].map((block) => lost(block)));
  expect(words).toMatch(/^blocks 2, 5, 6 and 9 are unknown/);
  expect(words.match(/the server ended/g)).toHaveLength(1);
});
