import { describe, expect, it } from 'vitest';
import type { TrialSeries } from '../../../runner/contract/metric.ts';
import { addLatencies, heatOf, noLatencies, rangeOf, shadeOf, shades } from '../../../runner/report/timeline/heat.ts';

const whole = { from: 0, until: Infinity, cadence: 1 };
/** @param seconds that the log has, which decide how wide a step is */
const series = (classes: Record<number, [second: number, value: number][]>, seconds = 4): TrialSeries =>
  new Map([
    ['tps', Array.from({ length: seconds }, (_, second) => ({ second, value: 1 }))],
    ...Object.entries(classes).map(([micros, points]): [string, { second: number; value: number }[]] => [
      `latency.from.${micros}`,
      points.map(([second, value]) => ({ second, value })),
    ]),
  ]);

describe('the map of latencies', () => {
  it('adds the transactions of all trials by time and latency', () => {
    const sums = noLatencies();
    for (let trial = 0; trial < 2; trial += 1) {
      addLatencies(sums, series({ 1024: [[0, 90], [1, 50]], 65536: [[1, 50]] }), whole); // prettier-ignore
    }
    const { cells, below, seconds } = heatOf(sums);
    expect(seconds).toBe(1);
    expect(cells).toEqual([
      { column: 0, fromMicros: 1024, transactions: 180 },
      { column: 1, fromMicros: 1024, transactions: 100 },
      { column: 1, fromMicros: 65536, transactions: 100 },
    ]);
    expect(below.map(({ almostAll }) => almostAll?.toFixed(4))).toEqual(['0.0014', '0.0927']);
    expect(below.map(({ half }) => half?.toFixed(4))).toEqual(['0.0014', '0.0014']);
  });

  it('counts a trial with shorter steps in the steps of the others', () => {
    const sums = noLatencies();
    addLatencies(sums, series({ 1024: [[0, 10], [1, 20], [2, 30], [3, 40]] }), whole); // prettier-ignore
    addLatencies(sums, series({ 1024: [[0, 10], [2, 10]] }, 250), whole); // prettier-ignore
    const { cells, seconds } = heatOf(sums);
    expect(seconds).toBe(2);
    // 10 + 20 + 10 transactions, then 30 + 40 + 10.
    expect(cells.map(({ transactions }) => transactions)).toEqual([40, 80]);
  });

  it('leaves out steps that are not wholly under load: they hold fewer transactions', () => {
    const columnsOf = (until: number, classes: Parameters<typeof series>[0], seconds?: number): number[] => {
      const sums = noLatencies();
      addLatencies(sums, series(classes, seconds), { from: 1, until, cadence: 1 });
      return heatOf(sums).cells.map(({ column }) => column);
    };
    expect(columnsOf(3, { 1024: [[0, 9], [1, 9], [2, 9], [3, 1]] })).toEqual([1, 2]); // prettier-ignore
    expect(columnsOf(14, { 1024: [[0, 9], [5, 9], [10, 4]] }, 600)).toEqual([1]); // prettier-ignore
  });

  // Found by a reviewer: the distance of two seconds with transactions was taken as the width of a step.
  it('counts each transaction of a trial once, also where it has few and far between', () => {
    const sums = noLatencies();
    addLatencies(sums, series({ 1024: [[10, 1], [90, 1]], 65536: [[20, 1]] }, 100), whole); // prettier-ignore
    const { cells, seconds } = heatOf(sums);
    expect(seconds).toBe(1);
    expect(cells.map(({ column, transactions }) => [column, transactions])).toEqual([[10, 1], [90, 1], [20, 1]]); // prettier-ignore
  });

  it('is empty without a log of every transaction', () => {
    const sums = noLatencies();
    addLatencies(sums, new Map([['latency.average', [{ second: 0, value: 1 }]]]), whole);
    expect(heatOf(sums)).toMatchObject({ cells: [], below: [] });
    expect(rangeOf([heatOf(sums)])).toBeNull();
  });

  it('shows a single slow transaction among ten thousand, and the most in the darkest shade', () => {
    expect(shadeOf(1, 10_000)).toBe(1);
    expect(shadeOf(10_000, 10_000)).toBe(shades);
  });
});
