import { describe, expect, it } from 'vitest';
import { drawUntil } from './rounds.ts';

/** Carries out numbers of which some hit, and keeps what was asked for. */
function rounds(hits: number, isHit: (number: number) => boolean) {
  const asked: number[][] = [];
  const drawn = drawUntil(hits, {
    carryOutAll(numbers) {
      asked.push([...numbers]);
      return Promise.resolve([...numbers]);
    },
    isHit,
  });
  return drawn.then((numbers) => ({ numbers, asked }));
}

describe('cases are drawn', () => {
  it('until so many have hit', async () => {
    const { numbers, asked } = await rounds(4, (number) => number % 2 === 0);
    expect(numbers.filter((number) => number % 2 === 0)).toHaveLength(4);
    expect(asked).toEqual([[1, 2, 3, 4], [5, 6], [7], [8]]);
  });

  it('once if all of them hit', async () => {
    expect((await rounds(3, () => true)).asked).toEqual([[1, 2, 3]]);
  });

  it('four times as many at most if none hits', async () => {
    expect((await rounds(2, () => false)).numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });
});
