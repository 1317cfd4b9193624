import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { frame, framePolicy } from '../../../runner/report/live/frame.ts';
import { renderPage } from '../../../runner/report/html/page.ts';
import { type LiveServer, serveLive } from '../../../runner/report/live/server.ts';
import { reportedUnderWay } from '../../../runner/report/live/in-progress.ts';
import { launchChromium } from '../../../scripts/chromium.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { widthsOf } from '../../helpers/in-browser.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';

const trialsTable = 'table[aria-labelledby="trials-title"]';

describe.runIf(hasChromium)('a live page in a browser', { timeout: 120_000 }, () => {
  let browser: Browser;
  let report: string;
  let server: LiveServer;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    const { result, series } = await sampleRun();
    report = await renderPage(reportedUnderWay(result, 12), series);
  }, 120_000);
  afterAll(() => browser.close());
  beforeEach(async () => {
    server = await serveLive(frame, framePolicy);
    page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
    await page.goto(server.address);
  });
  afterEach(async () => {
    await page.close();
    await server.close();
  });

  it('shows each text that comes in place of the one before, and its title', async () => {
    server.send('page', '<title>one trial</title><main>first</main>');
    await page.waitForSelector('text=first');
    expect(await page.title()).toBe('one trial');
    server.send('page', '<title>two trials</title><main>second</main>');
    await page.waitForSelector('text=second');
    server.send('progress', '<p>trial 3 of 12</p>');
    await page.waitForSelector('text=trial 3 of 12');
    expect([await page.title(), await page.innerText('#page')]).toEqual(['two trials', 'second']);
  });

  it('stays where its reader is when the next report comes, with the same blocks open', async () => {
    server.send('page', report);
    await page.locator('summary', { hasText: 'Checks' }).click();
    await page.evaluate('scrollTo(0, 400)');
    server.send('page', report.replace('<main>', '<main><p>newer</p>'));
    await page.waitForSelector('text=newer');
    // The trials are open from the beginning.
    const opened = '[...document.querySelectorAll("#page details[open] > div[id]")].map(({ id }) => id)';
    expect([await page.evaluate('scrollY'), await page.evaluate(opened)]).toEqual([400, ['trials', 'checks']]);
  });

  it('has tables that sort and a timeline that is read, as report.html', async () => {
    server.send('page', report);
    await page.waitForSelector(trialsTable);
    expect(await page.locator(`${trialsTable} thead button`).count()).toBeGreaterThan(3);
    expect(await page.locator('.timeline [role="slider"]').count()).toBe(1);
  });

  it('links to nothing of its server: what lies beside report.html is not there', async () => {
    expect(report).toContain('<a href="trials/');
    server.send('page', report);
    await page.waitForSelector(trialsTable);
    const links = await page.evaluate<string[]>(
      `[...document.querySelectorAll('a')].map((link) => link.getAttribute('href'))`,
    );
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !/^(#|https:)/.test(link))).toEqual([]);
    expect(await page.locator('footer').count()).toBe(0);
  });

  it('runs nothing of a text', async () => {
    const hostile = `<main><script>window.ran = 'script'</script>
      <img src="/x" onerror="window.ran = 'handler'"><svg onload="window.ran = 'svg'"></svg>hostile</main>`;
    server.send('page', hostile);
    server.send('progress', hostile);
    await page.waitForSelector('#page:has-text("hostile")');
    await page.waitForTimeout(200);
    expect(await page.evaluate('window.ran')).toBeUndefined();
  });

  it.each([1440, 390])('does not scroll sideways at %i pixels, whatever the words on top', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    const long = 'with-a-dedicated-log-volume-on-this-big-machine';
    server.send(
      'progress',
      `<p><span class="doing">Trial 3 of 12 · ${long} · warm-up</span><span class="time">1 h</span></p>`,
    );
    server.send('page', report);
    await page.waitForSelector(trialsTable);
    const [content, window] = await widthsOf(page);
    expect(content).toBeLessThanOrEqual(window);
  });

  it('says when it has lost its server without an end, and asks it no more', async () => {
    server.send('progress', '<p>trial 3 of 12</p>');
    await page.waitForSelector('text=trial 3 of 12');
    expect(await page.isVisible('#lost')).toBe(false);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await server.close();
    await page.waitForSelector('#lost', { state: 'visible' });
    // A browser tries again after three seconds.
    await page.waitForTimeout(4000);
    expect(requested).toEqual([]);
  });

  it('says nothing of that after the end of the run', async () => {
    server.send('page', '<main>the last report</main>');
    server.send('end', '');
    await page.waitForSelector('text=the last report');
    await server.close();
    await page.waitForTimeout(500);
    expect(await page.isVisible('#lost')).toBe(false);
  });
});
