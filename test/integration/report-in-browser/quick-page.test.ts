import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Result } from '../../../runner/contract/result.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { openTab, pdfPages, type ReportTab, reportsInBrowser } from './opened-page.ts';
import { readFigures } from './read-figures.ts';

const desk = { width: 1440, height: 800 };
const phone = { width: 390, height: 844 };
const reports = reportsInBrowser();

async function sizeOf(page: Page, selector: string): Promise<{ bottom: number; text: string }> {
  return page.evaluate<{ bottom: number; text: string }>(
    `(({ bottom }, text) => ({ bottom: bottom + scrollY, text }))(
      document.querySelector('${selector}').getBoundingClientRect(),
      document.querySelector('${selector}').innerText.replace(/\\s+/g, ' '),
    )`,
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
    ['a phone', phone, 2 * phone.height],
  ])('answers on the first screens of %s, with absolute values and doubts', async (_, size, most) => {
    await tab.page.setViewportSize(size);
    await tab.open(file);
    const { bottom, text } = await sizeOf(tab.page, '.card');
    expect(text).toMatch(/with-log-volume is 31% faster/);
    expect(text).toMatch(/TPS 1,447 1,897/);
    expect(text).toMatch(/latency p99 \(ms\) 24\.0 17\.6/);
    expect(text).toContain('Before you rely on it');
    expect(bottom).toBeLessThanOrEqual(most);
  });

  it('says there what got worse', async () => {
    const worse = await reports.saved('worse');
    await tab.page.setViewportSize(desk);
    await tab.open(worse.file);
    const { bottom, text } = await sizeOf(tab.page, '.card');
    expect(text).toMatch(/latency p99 .*worse/);
    expect(bottom).toBeLessThanOrEqual(desk.height);
  });

  it('shows everything that is not folded in 3,000 px', async () => {
    await tab.page.setViewportSize(desk);
    await tab.open(file);
    expect((await sizeOf(tab.page, 'footer')).bottom).toBeLessThan(3000);
  });

  it('needs at most two pages of paper before its appendix', async () => {
    await tab.open(file);
    const whole = await pdfPages(tab.page);
    await tab.page.addStyleTag({ content: '.appendix, footer { display: none; }' });
    const first = await pdfPages(tab.page);
    expect(first).toBeLessThanOrEqual(2);
    expect(whole).toBeGreaterThan(first);
  });

  it('opens what is folded by mouse and by keyboard, and where a link of the contents leads', async () => {
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

    await tab.page.locator('nav a', { hasText: 'Trials' }).focus();
    await tab.page.keyboard.press('Enter');
    expect(await isOpen('trials')).toBe(true);
    await tab.page.locator('nav a', { hasText: 'Checks' }).click();
    expect(await isOpen('checks')).toBe(true);
    expect(await tab.page.locator('#checks').isVisible()).toBe(true);
  });

  it('shows everything without its script', async () => {
    const plain = await reports.browser().newPage({ javaScriptEnabled: false, viewport: desk });
    await plain.goto(pathToFileURL(file).href);
    const summaries = plain.locator('.appendix > details > summary');
    for (const summary of await summaries.all()) await summary.click();
    await plain.locator('.appendix > details:not([open])').waitFor({ state: 'detached', timeout: 5000 });
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
