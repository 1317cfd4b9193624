import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

/**
 * Takes the picture of a report that the README shows:
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
  },
});
const [page, picture] = positionals;
if (page === undefined || picture === undefined || !existsSync(page)) {
  process.stderr.write(
    `Usage: screenshot.ts HTML PNG [--width 1280] [--height 900] [--scale 1] [--dark] [--full]; HTML must exist, got ${page ?? 'nothing'}.\n`,
  );
  process.exit(2);
}
const browsers = [process.env.CHROMIUM_PATH, '/usr/bin/chromium', '/usr/bin/google-chrome'];
const executablePath = browsers.find((candidate) => candidate !== undefined && existsSync(candidate));
if (executablePath === undefined) {
  process.stderr.write('No Chromium found: install it (apt-get install chromium) or set CHROMIUM_PATH.\n');
  process.exit(2);
}

const browser = await chromium.launch({
  executablePath,
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
});
try {
  const tab = await browser.newPage({
    viewport: { width: Number(values.width), height: Number(values.height) },
    deviceScaleFactor: Number(values.scale),
    colorScheme: values.dark ? 'dark' : 'light',
  });
  await tab.goto(pathToFileURL(path.resolve(page)).href);
  await tab.screenshot({ path: picture, fullPage: values.full });
} finally {
  await browser.close();
}
