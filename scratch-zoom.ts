import { launchChromium } from './scripts/chromium.ts';
const [page, sel, out] = process.argv.slice(2);
const b = await launchChromium();
const t = await b.newPage({ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 3 });
await t.goto('file://' + page);
await t.locator(sel!).first().screenshot({ path: out });
await b.close();
