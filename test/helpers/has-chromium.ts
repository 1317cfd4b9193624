import { chromiumPath, noChromium } from '../../scripts/chromium.ts';

if (chromiumPath === undefined && process.env['PGDUET_NEEDS_CHROMIUM'] === '1') throw new Error(noChromium);

/** Whether tests can open pages. CI sets PGDUET_NEEDS_CHROMIUM, so that it never skips them. */
export const hasChromium = chromiumPath !== undefined;
