import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forest, ticksBetween } from '../../../runner/report/charts/forest.ts';
import { renderChart } from '../../../runner/report/charts/render.ts';

const words = (tick: number): string => `${tick > 0 ? '+' : ''}${Number(tick.toFixed(1))} %`;

describe('ticks of the changes', () => {
  it('reach near an estimate at the end of a narrow axis', () => {
    expect(ticksBetween([-14, 120], { width: 354, words })).toEqual([0, 50, 100]);
    expect(ticksBetween([-14, 120], { width: 880, words })).toEqual([0, 20, 40, 60, 80, 100]);
  });

  it('have words that differ, do not touch each other, and stay in the picture', () => {
    const change = fc.double({ min: 0.01, max: 1e4, noNaN: true });
    fc.assert(
      fc.property(change, change, fc.constantFrom(354, 540, 880), (low, high, width) => {
        const ticks = ticksBetween([-low, high], { width, words });
        const boxes = ticks.map((tick) => {
          const [middle, half] = [12 + ((width - 24) * (tick + low)) / (high + low), (words(tick).length * 7.5) / 2];
          return { left: middle - half, right: middle + half };
        });
        expect(new Set(ticks.map(words)).size).toBe(ticks.length);
        for (const [at, { left, right }] of boxes.entries()) {
          expect(left).toBeGreaterThanOrEqual(boxes[at - 1]?.right ?? 0);
          expect(right).toBeLessThanOrEqual(width);
        }
      }),
    );
  });
});

it.each([354, 540, 880])('the band of small changes begins below the names, in a picture of %d px', (width) => {
  const rows = ['with-log-volume', 'a name that leaves no room beside it for the words'].map((name) => ({
    ...{ name, words: '+105.1 %  98 to 111 %', colour: 'red', symbol: 'circle' },
    ...{ change: 1.05, interval: { low: 0.98, high: 1.11, level: 0.97 }, changes: [1, 1.1] },
  }));
  const { height, option } = forest({
    ...{ title: '', caption: '', alternative: '', data: [], rows, threshold: 0.05 },
    of: { metric: 'tps', unit: '1/s', better: 'higher' },
  });
  const size = { width, height: height(width), narrow: width < 400 };
  const svg = renderChart(option(size), size);
  const bands = [...svg.matchAll(/<polygon points="([^"]*)" fill="var\(--band\)"/g)].map(([, points = '']) => {
    const heights = points
      .split(' ')
      .filter((_, at) => at % 2 === 1)
      .map(Number);
    return { top: Math.min(...heights), bottom: Math.max(...heights) };
  });
  expect(bands).toHaveLength(2);
  // The middle of a line of 13 px.
  const texts = [...svg.matchAll(/<text [^>]*font-size:13px[^>]*translate\([\d.]+ ([\d.]+)\)/g)].map(([, y]) =>
    Number(y),
  );
  expect(texts).toHaveLength(4);
  for (const { top, bottom } of bands) {
    for (const y of texts) expect(y + 6.5 <= top || y - 6.5 >= bottom, `${y} px and ${top} to ${bottom} px`).toBe(true);
  }
});
