import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [process.env['CHROMIUM_PATH'] ?? '', '/usr/bin/chromium', '/usr/bin/google-chrome'];

/** Where a browser is on this machine; undefined if there is none, and tests that need one are skipped. */
export const chromiumPath = places.find((place) => place !== '' && existsSync(place));

export function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  });
}
