import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../../runner/contract/result.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { openTab, pdfPages, type ReportTab, reportsInBrowser } from './opened-page.ts';
import { readFigures } from './read-figures.ts';

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
const reports = reportsInBrowser();

/** What stands before the details, and where those begin. */
async function firstScreenOf(page: Page): Promise<{ top: number; text: string }> {
  return page.evaluate<{ top: number; text: string }>(
    `({
      top: document.getElementById('details').getBoundingClientRect().top + scrollY,
      text: [...document.querySelectorAll('.answer, .grid')].map((one) => one.innerText).join(' ').replace(/\\s+/g, ' '),
    })`,
  );
}

describe.runIf(hasChromium)('in Chromium, the page of quick', () => {
  let tab: ReportTab;
  let result: Result;
  let file: string;
  beforeAll(async () => {
    ({ result, file } = await reports.saved('quick'));
    tab = reports.tab();
    await tab.open(file);
  });

  it.each([
    ['a desk', desk, desk.height],
    ['a phone', phone, 3 * phone.height],
  ])('answers on the first screens of %s, with absolute values and doubts', async (_, size, most) => {
    await tab.page.setViewportSize(size);
    await tab.open(file);
    const { top, text } = await firstScreenOf(tab.page);
    expect(text).toMatch(/with-log-volume is 31% faster/);
    expect(text).toMatch(/TPS 1,447 → 1,897/);
    expect(text).toMatch(/latency p99 24\.0 17\.6 ms/);
    expect(text).toContain('Caveats');
    expect(top).toBeLessThanOrEqual(most);
  });

  it('says there what got worse', async () => {
    const worse = await reports.saved('worse');
    await tab.page.setViewportSize(desk);
    await tab.open(worse.file);
    const { top, text } = await firstScreenOf(tab.page);
    expect(text).toMatch(/Worse .*latency p95/);
    expect(top).toBeLessThanOrEqual(desk.height);
  });

  it('has letters of at least 13 px, and a headline of at most two lines on a small desk', async () => {
    await tab.page.setViewportSize({ width: 1024, height: 768 });
    await tab.open(file);
    const sizes = await tab.page.evaluate<number[]>(
      `[...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).map((one) => parseFloat(getComputedStyle(one).fontSize))`,
    );
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(13);
    const lines = await tab.page.evaluate<number>(
      `((h1) => h1.getBoundingClientRect().height / parseFloat(getComputedStyle(h1).lineHeight))(document.querySelector('h1'))`,
    );
    expect(Math.round(lines)).toBeLessThanOrEqual(2);
  });

  it('needs at most two pages of paper while its details are closed', async () => {
    await tab.open(file);
    expect(await pdfPages(tab.page)).toBeLessThanOrEqual(2);
  });

  it('opens what is folded by mouse and by keyboard, and where a link of the first screen leads', async () => {
    await tab.page.setViewportSize(desk);
    await tab.open(file);
    const isOpen = (id: string): Promise<boolean> =>
      tab.page.evaluate<boolean>(`document.getElementById('${id}').closest('details').open`);
    const settings = tab.page.locator('summary', { has: tab.page.locator('#settings-shared-title') });
    await settings.click();
    expect(await isOpen('settings-shared')).toBe(true);
    await settings.press('Enter');
    expect(await isOpen('settings-shared')).toBe(false);
    await settings.press('Space');
    expect(await isOpen('settings-shared')).toBe(true);

    await tab.page.locator('#rely a').last().focus();
    await tab.page.keyboard.press('Enter');
    expect(await isOpen('checks')).toBe(true);
    expect(await tab.page.locator('#checks').isVisible()).toBe(true);
  });

  it('shows everything without its script', async () => {
    const plain = await reports.browser().newPage({ javaScriptEnabled: false, viewport: desk });
    await plain.goto(pathToFileURL(file).href);
    const summaries = plain.locator('#details > details > summary');
    for (const summary of await summaries.all()) await summary.click();
    await plain.locator('#details > details:not([open])').waitFor({ state: 'detached', timeout: 5000 });
    const words = await plain.locator('main').innerText();
    for (const trial of result.trials) expect(words).toContain(trial.conditions.variant);
    expect(words).toContain('synchronous_commit');
    await plain.close();

    await tab.open(file);
    const scripted = readFigures(result, await tab.shown());
    expect(scripted.wrong).toEqual([]);
    const unscripted = await openTab(reports.browser(), { javaScriptEnabled: false });
    await unscripted.open(file);
    expect(readFigures(result, await unscripted.shown())).toEqual(scripted);
  });
});
