import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderPage } from '../runner/report/html/page.ts';
import { reported } from '../runner/report/reported.ts';
import { goldenResults } from '../test/golden/golden-results.ts';
import { chromiumPath, launchChromium, noChromium } from './chromium.ts';

/**
 * The pictures of first screens in README and docs, by the sample result of the tests that each shows. `npm run pictures` makes them.
 * docs/images/trials-over-time.png is of a run on volumes, which no sample has.
 */
const pictures = [
  { file: 'report.png', result: 'verdict', width: 1440 },
  { file: 'report-phone.png', result: 'verdict', width: 390 },
] as const;

if (chromiumPath === undefined) {
  process.stderr.write(`${noChromium}\n`);
  process.exit(2);
}
const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-pictures-'));
const browser = await launchChromium();
try {
  for (const { file, result: name, width } of pictures) {
    const { result, series } = (await goldenResults[name]?.()) ?? {};
    if (!result || !series) throw new Error(`no sample result ${name}`);
    const page = path.join(folder, `${name}.html`);
    writeFileSync(page, await renderPage(reported(result), series));
    const tab = await browser.newPage({ viewport: { width, height: 900 } });
    await tab.goto(pathToFileURL(page).href);
    const to = path.join(import.meta.dirname, '../docs/images', file);
    const height = await tab.evaluate<number>(
      `document.getElementById('details').getBoundingClientRect().top + scrollY`,
    );
    await tab.screenshot({ path: to, fullPage: true, clip: { x: 0, y: 0, width, height: Math.round(height) } });
    await tab.close();
    process.stdout.write(`docs/images/${file}: ${name}\n`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
