import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../helpers/shown/render-html.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { pageInBrowser } from '../../helpers/in-browser.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';

const desk = { viewport: { width: 1440, height: 900 } };
const names = ['base', 'fast'];

describe.runIf(hasChromium)('trials over time in a browser', { timeout: 120_000 }, () => {
  const { opened: openedPage } = pageInBrowser(async () => {
    const run = await sampleRun({ variants: { base: 1, fast: 1.3 }, repeatedBlock: { block: 2, factor: 5 } });
    return renderHtml(run.result, run.series);
  });
  const opened: typeof openedPage = (options, use) =>
    openedPage(options, async (page) => {
      await page.locator('summary', { has: page.locator('#trials-seen-title') }).click();
      await use(page);
    });
  /** What is read at the line: a row for the time, and one for each panel. */
  const readIn = (page: Page): Promise<string[]> => page.locator('.timeline .reading :is(dt, dd)').allInnerTexts();

  it('read every panel at the second under the mouse, with names and units, until it leaves', async () => {
    await opened(desk, async (page) => {
      const plot = page.locator('.timeline .plot').first();
      const { width = 0 } = (await plot.boundingBox()) ?? {};
      await plot.hover({ position: { x: width * 0.51, y: 30 } });
      const read = await readIn(page);
      const panels = await page.locator('.timeline .panel').count();
      expect(read[0]).toBe('Second 10');
      expect(read).toHaveLength(2 + 2 * panels);
      const latency = read[read.indexOf('latency average') + 1] ?? '';
      for (const name of names) expect(latency).toMatch(new RegExp(`${name} [\\d.]+\\sms`));
      await page.mouse.move(5, 5);
      expect(await readIn(page)).toEqual([]);
    });
  });

  it('are read with the keyboard in the same way: one stop, arrows, Home, End and Escape', async () => {
    await opened(desk, async (page) => {
      const sweep = page.getByRole('slider');
      await sweep.focus();
      const at = async (key: string): Promise<string | undefined> => {
        await page.keyboard.press(key);
        return (await readIn(page))[0];
      };
      expect(await at('Home')).toBe('Second 0');
      expect(await at('ArrowRight')).toBe('Second 1');
      expect(await at('ArrowLeft')).toBe('Second 0');
      expect(await at('ArrowLeft')).toBe('Second 0');
      const last = await at('End');
      expect(last).toBe(`Second ${await sweep.getAttribute('aria-valuemax')}`);
      expect(await at('ArrowRight')).toBe(last);
      expect(await at('Escape')).toBeUndefined();
      expect(await page.locator('.timeline .reading').getAttribute('aria-live')).toBe('polite');
      expect(await page.locator('.timeline [tabindex="0"]').count()).toBe(1);
    });
  });

  it('are read by touch on a phone', async () => {
    await opened({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }, async (page) => {
      await page
        .locator('.timeline .plot')
        .first()
        .tap({ position: { x: 60, y: 30 } });
      expect((await readIn(page))[0]).toMatch(/^Second \d+$/);
    });
  });

  it('hide and show the lines of a trial with a button that names it, and why it is excluded', async () => {
    await opened(desk, async (page) => {
      const fold = page.locator('.timeline .whose details');
      await fold.locator('summary').press('Enter');
      const buttons = fold.getByRole('button');
      expect(await buttons.count()).toBe(14);
      const first = buttons.first();
      const lines = page.locator('.timeline [data-trial="0"]');
      const panels = await lines.count();
      expect(panels).toBeGreaterThan(1);
      expect(await lines.filter({ visible: true }).count()).toBe(panels);
      await first.press('Space');
      expect(await first.getAttribute('aria-pressed')).toBe('false');
      expect(await lines.filter({ visible: true }).count()).toBe(0);
      await first.click();
      expect(await lines.filter({ visible: true }).count()).toBe(panels);
      const hollow = await buttons.filter({ hasText: 'excluded' }).allInnerTexts();
      expect(hollow).toHaveLength(2);
      for (const words of hollow) expect(words).toMatch(/^block-02-.* \(excluded: .+\)$/);
    });
  });

  it('have everything but the reading without a script', async () => {
    await opened({ ...desk, javaScriptEnabled: false }, async (page) => {
      const figure = page.locator('.timeline');
      expect(await figure.locator('.median').count()).toBeGreaterThan(2);
      expect(await figure.getByRole('slider').count()).toBe(0);
      for (const name of names) expect(await figure.innerText()).toContain(name);
      expect(await figure.innerText()).toMatch(/Dotted: excluded trials/);
    });
  });
});
