import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../../runner/contract/result.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { reportedResults } from '../../helpers/samples/reported-results.ts';
import { paper, type ReportTab, reportsInBrowser } from './opened-page.ts';
import { readFigures } from './read-figures.ts';

const screens = [1440, 1024, 390].map((width) => ({ width, height: 800 }));
const openAll = `document.querySelectorAll('details').forEach((one) => (one.open = true))`;
const reports = reportsInBrowser();

describe.runIf(hasChromium).each(Object.keys(reportedResults))('in Chromium, the page of %s', (name) => {
  let tab: ReportTab;
  let result: Result;
  beforeAll(async () => {
    const saved = await reports.saved(name);
    result = saved.result;
    tab = reports.tab();
    tab.unwanted.length = 0;
    await tab.page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await tab.open(saved.file);
  });

  it.each(screens)('shows everything at $width px, with nothing on top of another', async (size) => {
    await tab.page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await tab.page.setViewportSize(size);
    expect(await tab.layout()).toEqual([]);
    await tab.page.evaluate(openAll);
    expect(await tab.layout()).toEqual([]);
  });

  it('shows everything on paper', async () => {
    await tab.page.emulateMedia({ media: 'print', colorScheme: 'light' });
    await tab.page.setViewportSize(paper);
    expect(await tab.layout()).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('can be read by everybody, in %s', async (colorScheme) => {
    await tab.page.emulateMedia({ media: 'screen', colorScheme });
    await tab.page.evaluate(openAll);
    // No table hides a part of itself: axe-core leaves the contrast of hidden cells undecided.
    await tab.page.setViewportSize({ width: 3000, height: 800 });
    await tab.page.addStyleTag({ content: 'main, main > * { max-width: none !important; }' });
    expect(await tab.accessibility()).toEqual([]);
  });

  it('prints the figures of result.json', async () => {
    const { read, wrong } = readFigures(result, await tab.shown());
    expect(wrong).toEqual([]);
    const blocks = result.comparisons.filter((one) => one.primary).flatMap(({ pairs }) => pairs).length;
    // The table of each, and two pictures.
    expect(read).toBeGreaterThan(3 * blocks);
  });

  it('says nothing to the console, and asks for nothing', () => {
    expect(tab.unwanted).toEqual([]);
  });
});
