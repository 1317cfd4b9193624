import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const candidates = [process.env['CHROMIUM_PATH'] ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'];

/** The browser that shows reports to tests, benches and screenshots; undefined if this machine has none. */
export const chromiumPath = candidates.find((candidate) => candidate !== '' && existsSync(candidate));

/** What a message says if there is no browser. */
export const noChromium = 'No Chromium found: install it (apt-get install chromium) or set CHROMIUM_PATH.';

/** Starts a browser without a window. The caller closes it. @throws if this machine has none */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(noChromium);
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}
