import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { knowFolder } from '../../../runner/files/open-folder.ts';
import { writeReport } from '../../../runner/report/write-report.ts';
import { launchChromium } from '../../../scripts/chromium.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { reportedResults } from '../../helpers/samples/reported-results.ts';
import { openTab, pdfPages, type ReportTab } from './opened-page.ts';
import { readFigures } from './read-figures.ts';

const desk = { width: 1440, height: 800 };
const phone = { width: 390, height: 844 };

let folder: string;
let browser: Browser;
let tab: ReportTab;
let opened: OpenedResult;
let file: string;

async function saved(name: string): Promise<{ opened: OpenedResult; file: string }> {
  const made = await reportedResults[name]?.();
  if (!made) throw new Error(`no result ${name}`);
  const own = path.join(folder, name);
  mkdirSync(own, { recursive: true });
  return { opened: made, file: (await writeReport(knowFolder(own), made.result, made.series)).html };
}

async function sizeOf(page: Page, selector: string): Promise<{ bottom: number; text: string }> {
  return page.evaluate<{ bottom: number; text: string }>(
    `(({ bottom }, text) => ({ bottom: bottom + scrollY, text }))(
      document.querySelector('${selector}').getBoundingClientRect(),
      document.querySelector('${selector}').innerText.replace(/\\s+/g, ' '),
    )`,
  );
}

describe.runIf(hasChromium)('in Chromium, the page of quick', () => {
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pgduet-quick-page-'));
    browser = await launchChromium();
    ({ opened, file } = await saved('quick'));
    tab = await openTab(browser);
    await tab.open(file);
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['a desk', desk, desk.height],
    ['a phone', phone, 2 * phone.height],
  ])('answers on the first screens of %s, with absolute values and doubts', async (_, size, most) => {
    await tab.page.setViewportSize(size);
    await tab.open(file);
    const { bottom, text } = await sizeOf(tab.page, '.card');
    expect(text).toMatch(/with-log-volume is 31 % faster/);
    expect(text).toMatch(/TPS 1,447 1,897/);
    expect(text).toMatch(/latency p99 \(ms\) 24\.0 17\.6/);
    expect(text).toContain('Before you rely on it');
    expect(bottom).toBeLessThanOrEqual(most);
  });

  it('says there what got worse', async () => {
    const worse = await saved('worse');
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
    const plain = await browser.newPage({ javaScriptEnabled: false, viewport: desk });
    await plain.goto(pathToFileURL(file).href);
    const summaries = plain.locator('.appendix > details > summary');
    for (const summary of await summaries.all()) await summary.click();
    await plain.locator('.appendix > details:not([open])').waitFor({ state: 'detached', timeout: 5000 });
    const words = await plain.locator('main').innerText();
    for (const trial of opened.result.trials) expect(words).toContain(trial.conditions.variant);
    expect(words).toContain('synchronous_commit');
    await plain.close();

    await tab.open(file);
    const scripted = readFigures(opened.result, await tab.shown());
    expect(scripted.wrong).toEqual([]);
    const unscripted = await openTab(browser, { javaScriptEnabled: false });
    await unscripted.open(file);
    expect(readFigures(opened.result, await unscripted.shown())).toEqual(scripted);
  });
});
