import { describe, expect, it } from 'vitest';
import { timeBarsMarkup, timeBarsStyles } from '../../../runner/report/html/time-bars.ts';
import { styles } from '../../../runner/report/html/styles.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { pageInBrowser, widthsOf } from '../../helpers/in-browser.ts';
import type { TimeBars } from '../../../runner/report/charts/time-bars.ts';

/** Segments of all sizes, and a name of forty characters. */
const bars: TimeBars = {
  title: 'Where transaction time goes (ms)',
  kinds: [
    { kind: 'walFlush', name: 'WAL flush' },
    { kind: 'temporaryFiles', name: 'temporary files' },
    { kind: 'cpu', name: 'CPU' },
    { kind: 'other', name: 'other' },
  ],
  bars: [1, 0.4, 0.08].map((length, index) => ({
    variant: index === 0 ? 'without-log-volume' : 'a-candidate-with-a-name-of-forty-letters',
    length,
    whole: '12,345 ms',
    segments: [
      { kind: 'walFlush', part: 0.55, value: '1,234.5' },
      { kind: 'temporaryFiles', part: 0.2, value: '234.5' },
      { kind: 'cpu', part: 0.15, value: '34.5' },
      { kind: 'other', part: 0.1, value: '4.5' },
    ],
  })),
};

describe.runIf(hasChromium)('the picture of a transaction’s time in a browser', { timeout: 60_000 }, () => {
  const { opened } = pageInBrowser(
    () => `<style>${styles}${timeBarsStyles}body{margin:0}</style>${timeBarsMarkup(bars, 'id').text}`,
  );

  it.each([354, 880])('shows a text whole or not at all, and nothing beyond %s px', async (width) => {
    await opened({ viewport: { width, height: 800 } }, async (tab) => {
      const found = await tab.evaluate<{ cut: number; shown: string[] }>(`(() => {
        const boxes = [...document.querySelectorAll('.segment')].filter((box) => box.textContent !== '');
        const isCut = (box) => box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 1;
        return { cut: boxes.filter(isCut).length, shown: boxes.map((box) => box.textContent) };
      })()`);
      // The value of the largest alone at 0.55 and 0.22 of the width; smaller ones stand in the key only.
      expect(found).toEqual({ cut: 0, shown: ['1,234.5', '234.5', '1,234.5'] });
      expect((await widthsOf(tab))[0]).toBe(width);
    });
  });
});
