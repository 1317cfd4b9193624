import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { variantStyle } from '../../../runner/report/charts/colours.ts';
import { forest, ticksBetween } from '../../../runner/report/charts/forest.ts';

const words = (tick: number): string => `${tick > 0 ? '+' : ''}${Number(tick.toFixed(1))}%`;

describe('ticks of the changes', () => {
  it('reach near an estimate at the end of a narrow axis', () => {
    const wordsAt = (width: number) =>
      ticksBetween([-14, 120], { width, words })
        .map((tick) => tick.words)
        .join(', ');
    expect(wordsAt(354)).toBe('0%, +20%, +40%, +60%, +80%, +100%');
    expect(wordsAt(880)).toBe('0%, +20%, +40%, +60%, +80%, +100%');
  });

  it('have words that differ, do not touch each other, and stay in the picture', () => {
    const change = fc.double({ min: 0.01, max: 1e4, noNaN: true });
    fc.assert(
      fc.property(change, change, fc.constantFrom(354, 540, 880), (low, high, width) => {
        const ticks = ticksBetween([-low, high], { width, words });
        const boxes = ticks.map(({ at, words: shown }) => {
          const half = (shown.length * 7) / 2;
          return { left: at - half, right: at + half };
        });
        expect(new Set(ticks.map((tick) => tick.words)).size).toBe(ticks.length);
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
    ...{ name, words: '+105.1%  98% to 111%', look: variantStyle(0) },
    ...{ change: 1.05, interval: { low: 0.98, high: 1.11, level: 0.97 }, changes: [1, 1.1] },
  }));
  const { marks } = forest({
    ...{ title: '', caption: '', alternative: '', data: [], rows, threshold: 0.05 },
    of: { metric: 'tps', unit: '1/s', better: 'higher' },
  }).draw(width);
  const svg = marks.map(({ text }) => text).join('');
  const bands = [...svg.matchAll(/<rect x="[^"]*" y="([^"]*)" width="[^"]*" height="([^"]*)" fill="var\(--band\)"/g)];
  expect(bands).toHaveLength(2);
  const texts = [...svg.matchAll(/<text [^>]*y="([^"]*)"[^>]*font-size="13"/g)].map(([, y]) => Number(y));
  expect(texts).toHaveLength(4);
  for (const [top = NaN, height = NaN] of bands.map((found) => found.slice(1).map(Number))) {
    // From the letters' top to the descenders.
    for (const y of texts) expect(y + 3 <= top || y - 10 >= top + height, `${y} px and ${top} px`).toBe(true);
  }
});
