import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchChromium } from '../../scripts/chromium.ts';

export interface OpenedPages {
  browser: Browser;
  /** Opens the page in a tab of its own, and closes that again. */
  opened: (options: Parameters<Browser['newPage']>[0], use: (page: Page) => Promise<void>) => Promise<void>;
}

/** A page in a browser for the tests of a `describe`. @param make text of the page */
export function pageInBrowser(make: () => Promise<string> | string): OpenedPages {
  let folder: string;
  let browser: Browser;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pgduet-in-browser-'));
    writeFileSync(path.join(folder, 'page.html'), await make());
    browser = await launchChromium();
  }, 120_000);
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });
  return {
    get browser() {
      return browser;
    },
    async opened(options, use) {
      const page = await browser.newPage(options);
      try {
        await page.goto(pathToFileURL(path.join(folder, 'page.html')).href);
        await use(page);
      } finally {
        await page.close();
      }
    },
  };
}

/** How wide a page and its window are: a wider page scrolls sideways. */
export function widthsOf(page: Page): Promise<[content: number, window: number]> {
  return page.evaluate(`[document.documentElement.scrollWidth, document.documentElement.clientWidth]`);
}
