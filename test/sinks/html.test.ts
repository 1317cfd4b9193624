import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knowFolder } from '../../runner/files/open-folder.ts';
import { writeReport } from '../../runner/report/write-report.ts';
import { launchChromium } from '../../scripts/chromium.ts';
import { hasChromium } from '../helpers/has-chromium.ts';
import { sampleRun } from '../helpers/samples/sample-result.ts';
import { hostileResult } from './hostile.ts';

let folder: string;
let hostilePage: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'pgduet-html-'));
  const { result, series } = await hostileResult();
  hostilePage = (await writeReport(knowFolder(folder), result, series)).html;
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe('report.html of a hostile result', () => {
  it('has no tag and no attribute that a harmless one does not have', async () => {
    const { result, series } = await sampleRun({ failedTrial: { block: 2, variant: 'with-log-volume' } });
    const harmless = path.join(folder, 'harmless');
    mkdirSync(harmless);
    const { html } = await writeReport(knowFolder(harmless), result, series);
    const tagsOf = (file: string): Set<string> =>
      new Set(readFileSync(file, 'utf8').match(/<[a-z]+(\s+[a-z-]+(?==))?/gi));
    const known = tagsOf(html);
    expect([...tagsOf(hostilePage)].filter((tag) => !known.has(tag))).toEqual([]);
    expect(readFileSync(hostilePage, 'utf8')).toContain('&lt;script&gt;window.owned=1&lt;/script&gt;');
  });

  it.runIf(hasChromium)(
    'runs nothing of the result in a browser, and asks nothing of the network',
    { timeout: 180_000 },
    async () => {
      const browser = await launchChromium();
      try {
        const tab = await browser.newPage();
        const requested: string[] = [];
        tab.on('request', (request) => requested.push(request.url()));
        const address = pathToFileURL(hostilePage).href;
        await tab.goto(address);
        const found = await tab.evaluate(`({
          owned: window.owned ?? null,
          active: [...document.querySelectorAll('script:not(body > script:last-child), iframe, img, object, embed, link, form, base, owned')].length,
          handlers: [...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames())
            .filter((name) => name.startsWith('on')),
          links: [...document.querySelectorAll('[href], [src]')].map((element) => element.outerHTML)
            .filter((markup) => !/^<a href="(#[\\w-]+|trials\\/([\\w.-]+\\/)?|result\\.json|pairs\\.csv|report\\.md)"/.test(markup)),
          text: document.body.innerText.includes('window.owned=1'),
        })`);
        expect(found).toEqual({ owned: null, active: 0, handlers: [], links: [], text: true });
        expect(requested).toEqual([address]);
      } finally {
        await browser.close();
      }
    },
  );
});
