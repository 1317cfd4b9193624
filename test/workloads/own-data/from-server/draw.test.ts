import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawing, segmentsBetween } from '../../../../runner/workloads/own-data/from-server/draw.ts';
import { repeats } from '../../../helpers/repeats.ts';

const ends = fc
  .array(fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }), { minLength: 2, maxLength: 101 })
  .map((numbers) => numbers.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0)));
const narrow = fc
  .array(fc.bigInt({ min: 0n, max: 50n }), { minLength: 2, maxLength: 101 })
  .map((numbers) => numbers.toSorted((one, other) => Number(one - other)));

it('the segments of a histogram are in order and hold its share', () => {
  fc.assert(
    fc.property(fc.oneof(ends, narrow), fc.double({ min: 0.01, max: 1, noNaN: true }), (bounds, share) => {
      const segments = segmentsBetween(bounds, share);
      expect(segments.reduce((sum, one) => sum + one.share, 0)).toBeCloseTo(share, 9);
      expect([segments[0]?.from, segments.at(-1)?.to]).toEqual([bounds[0], bounds.at(-1)]);
      for (const [index, { from, to }] of segments.entries()) {
        expect(from <= to).toBe(true);
        expect(from >= (segments[index - 1]?.to ?? from)).toBe(true);
      }
    }),
    { numRuns: repeats(1000) },
  );
});

it('and they differ from it by at most half a point', () => {
  fc.assert(
    fc.property(ends, fc.double({ min: 0.01, max: 1, noNaN: true }), (bounds, share) => {
      const segments = segmentsBetween(bounds, share);
      for (const [index, bound] of bounds.entries()) {
        // Where many rows have one value, the histogram itself jumps.
        if (bounds.indexOf(bound) !== index || bounds.lastIndexOf(bound) !== index) continue;
        const below = segments.reduce((sum, { from, to, share: one }) => {
          const part = from === to ? Number(bound >= to) : Number(bound - from) / Number(to - from);
          return sum + one * Math.min(1, Math.max(0, part));
        }, 0);
        expect(Math.abs(below - (share * index) / (bounds.length - 1))).toBeLessThan(0.0051);
      }
    }),
    { numRuns: repeats(1000) },
  );
});

it('even numbers become one segment', () => {
  const even = Array.from({ length: 101 }, (_, index) => BigInt(1 + index * 1000));
  expect(segmentsBetween(even, 0.9)).toEqual([{ from: 1n, to: 100_001n, share: expect.closeTo(0.9) as number }]);
});

it('draws what has a share of less than half a part never, and all else', () => {
  const at = (number: bigint, share: number) => ({ from: number, to: number, share });
  expect(drawing('x', [at(1n, 0.5), at(2n, 0.00001), { from: 3n, to: 9n, share: 0.49999 }])).toEqual([
    '\\set x_part random(1, 10000)',
    '\\set x case when :x_part <= 5000 then 1 else random(3, 9) end',
  ]);
  expect(drawing('x', [at(5n, 0.1)])).toEqual(['\\set x 5']);
});
