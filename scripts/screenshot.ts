import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { chromiumPath, launchChromium, noChromium } from './chromium.ts';

/**
 * Takes the pictures of reports that README and docs show:
 * `node bin/run.mjs scripts/screenshot.ts results/quick/latest/report.html docs/images/report.png`
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    width: { type: 'string', default: '1280' },
    height: { type: 'string', default: '900' },
    scale: { type: 'string', default: '1' },
    dark: { type: 'boolean', default: false },
    /** Takes the whole page, however long, instead of the part that fits into the window. */
    full: { type: 'boolean', default: false },
    /** Takes only the section or the chart with this in its title. */
    part: { type: 'string' },
  },
});
const [page, picture] = positionals;
if (page === undefined || picture === undefined || !existsSync(page)) {
  process.stderr.write(
    `Usage: screenshot.ts HTML PNG [--width 1280] [--height 900] [--scale 1] [--dark] [--full] [--part TITLE]; HTML must exist, got ${page ?? 'nothing'}.\n`,
  );
  process.exit(2);
}
if (chromiumPath === undefined) {
  process.stderr.write(`${noChromium}\n`);
  process.exit(2);
}

const browser = await launchChromium();
try {
  const tab = await browser.newPage({
    viewport: { width: Number(values.width), height: Number(values.height) },
    deviceScaleFactor: Number(values.scale),
    colorScheme: values.dark ? 'dark' : 'light',
  });
  await tab.goto(pathToFileURL(path.resolve(page)).href);
  if (values.part === undefined) {
    await tab.screenshot({ path: picture, fullPage: values.full });
  } else {
    const title = tab.locator('h2, h3, figcaption, caption', { hasText: values.part }).first();
    // The innermost comes last: a chart is in a section.
    await tab.locator('section, figure').filter({ has: title }).last().screenshot({ path: picture });
  }
} finally {
  await browser.close();
}
