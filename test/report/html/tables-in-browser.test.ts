import type { Browser, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Result } from '../../../runner/contract/result.ts';
import { renderHtml } from '../../helpers/shown/render-html.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { pageInBrowser } from '../../helpers/in-browser.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';

const desk = { viewport: { width: 1440, height: 800 } };

// That nothing is wider than the screen or cut off is tested with all kinds of results in test/integration/report-in-browser/.
describe.runIf(hasChromium)('tables of the page in a browser', { timeout: 120_000 }, () => {
  const { opened } = pageInBrowser(async () => {
    const { result, series } = await sampleRun({ variants: { base: 1, fast: 1.3 } });
    return renderHtml(withLongStatement(result), series);
  });
  const unfolded = (options: Parameters<Browser['newPage']>[0], use: (page: Page) => Promise<void>): Promise<void> =>
    opened(options, async (page) => {
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      await use(page);
    });

  it('are cards on a phone, each wholly on the screen', async () => {
    await unfolded({ viewport: { width: 390, height: 800 } }, async (page) => {
      const cards = await page.evaluate<{ right: number; display: string }[]>(
        `[...document.querySelectorAll('.scroll tbody tr')].map((row) =>
          ({ right: row.getBoundingClientRect().right, display: getComputedStyle(row).display }))`,
      );
      expect(cards.length).toBeGreaterThan(50);
      expect(cards.filter(({ right, display }) => right > 390 || display !== 'block')).toEqual([]);
    });
  });

  it('are sorted by the value of a column with the keyboard, and are as before after the third time', async () => {
    await unfolded(desk, async (page) => {
      const table = page.locator('#trials table');
      const head = table.locator('thead th', { hasText: /^TPS/ });
      const column = await page.evaluate<number>(
        `[...document.querySelectorAll('#trials thead tr > *')].findIndex((one) => one.textContent.startsWith('TPS'))`,
      );
      const values = async (): Promise<number[]> =>
        (await table.locator(`tbody tr > :nth-child(${column + 1})`).allTextContents()).map((text) =>
          Number(text.replaceAll(',', '')),
        );
      const before = await values();
      const ascending = before.toSorted((a, b) => a - b);
      await head.locator('button').focus();
      await page.keyboard.press('Enter');
      expect([await values(), await head.getAttribute('aria-sort')]).toEqual([ascending.toReversed(), 'descending']);
      await page.keyboard.press('Space');
      expect([await values(), await head.getAttribute('aria-sort')]).toEqual([ascending, 'ascending']);
      await page.keyboard.press('Enter');
      expect([await values(), await head.getAttribute('aria-sort')]).toEqual([before, null]);
    });
  });

  it('can be reduced to what differs, and copy what is shown', async () => {
    await unfolded(desk, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const section = page.locator('#evidence');
      const rows = section.locator('tbody tr:not(.group):visible');
      const all = await rows.count();
      const differing = await section.locator('tr[data-differs="true"]').count();
      const only = section.getByRole('button', { name: /^Only / });
      await only.press('Enter');
      expect([await rows.count(), await only.getAttribute('aria-pressed')]).toEqual([differing, 'true']);
      expect(differing).toBeLessThan(all);
      await section.getByRole('button', { name: 'Copy as Markdown' }).press('Enter');
      await section.getByText('Copied').waitFor();
      const copied = await page.evaluate<string>(`navigator.clipboard.readText()`);
      expect(copied.trim().split('\n')).toHaveLength(2 + differing);
      await only.press('Enter');
      expect(await rows.count()).toBe(all);
    });
  });

  it('show a text to be copied by hand if the browser refuses the clipboard', async () => {
    await unfolded(desk, async (page) => {
      await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
      const section = page.locator('#statements');
      await section.getByRole('button', { name: 'Copy as CSV' }).press('Enter');
      await section.getByText('Copy the selected text').waitFor();
      const selected = await page.evaluate<string>(
        `(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)`,
      );
      expect(selected).toMatch(/^statement,variant,/);
      // The whole text, not its beginning.
      expect(selected).toContain(longStatement);
    });
  });

  it('stop the keyboard only at buttons and links, unless there is something to scroll', async () => {
    await unfolded(desk, async (page) => {
      await page.locator('.tools').first().waitFor();
      await page.waitForFunction(
        `[...document.querySelectorAll('.scroll')].every((one) => (one.scrollWidth > one.clientWidth + 1) === (one.tabIndex === 0))`,
      );
    });
    await unfolded({ javaScriptEnabled: false }, async (page) => {
      expect(await page.locator('.tools, thead button').count()).toBe(0);
      expect(await page.locator('.scroll:not([tabindex="0"])').count()).toBe(0);
    });
  });

  it('are on paper if their rows were opened before, without the script, too', async () => {
    await opened({ javaScriptEnabled: false }, async (page) => {
      const shown = `[...document.querySelectorAll('.scroll tbody tr')].filter((row) => row.checkVisibility()).length`;
      await page.locator('summary', { has: page.locator('#trials-title') }).click();
      await page.emulateMedia({ media: 'print' });
      expect(await page.evaluate<number>(shown)).toBe(await page.locator('#trials tbody tr').count());
    });
  });
});

const longStatement = `SELECT ${Array.from({ length: 40 }, (_, index) => `column_${index}`).join(' + ')} FROM somewhere`;

function withLongStatement(result: Result): Result {
  const statement = {
    queryId: '1',
    text: longStatement,
    calls: 7,
    totalTime: 0.5,
    meanTime: 0.07,
    rows: 7,
    blocksRead: 1,
    blocksDirtied: 2,
    walBytes: 900,
  };
  const statements = [statement, { ...statement, text: 'COMMIT' }];
  return { ...result, trials: result.trials.map((trial) => ({ ...trial, facts: { ...trial.facts, statements } })) };
}
