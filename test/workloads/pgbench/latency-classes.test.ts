import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  classOf,
  numberOfClasses,
  secondsOfStep,
  shortestOf,
} from '../../../runner/workloads/pgbench/log/latency-classes.ts';

describe('classes of latencies', () => {
  it('hold what is between the shortest of their own and of the next class', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 31 - 1 }), (micros) => {
        const own = classOf(micros);
        expect(own).toBeLessThan(numberOfClasses);
        // Shortest ones are rounded.
        expect(micros).toBeGreaterThanOrEqual(shortestOf(own) - 1);
        expect(micros).toBeLessThanOrEqual(shortestOf(own + 1));
      }),
    );
  });

  it('begin at powers of the root of two', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 1024, 1448, 1449, 2048].map(classOf)).toEqual([0, 0, 2, 3, 4, 4, 5, 20, 20, 21, 22]);
  });

  it('have one for all that is longer than half an hour', () => {
    expect(classOf(2 ** 31)).toBe(numberOfClasses - 1);
    expect(classOf(2 ** 45)).toBe(numberOfClasses - 1);
  });
});

describe('steps of time', () => {
  it('are at most 125, and of one length for trials that end a second early or late', () => {
    for (const seconds of [10, 60, 300, 600, 900, 1800, 3600, 7200, 86_400]) {
      expect(seconds / secondsOfStep(seconds)).toBeLessThanOrEqual(125);
      expect(new Set([-1, 0, 1, 2].map((more) => secondsOfStep(seconds + more))).size).toBe(1);
    }
  });
});
