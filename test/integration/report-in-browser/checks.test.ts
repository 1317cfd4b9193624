import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';
import { type ReportTab, reportsInBrowser } from './opened-page.ts';
import { readFigures } from './read-figures.ts';

describe.runIf(hasChromium)('in Chromium, what is looked for is found:', () => {
  const reports = reportsInBrowser();
  let tab: ReportTab;
  beforeAll(() => {
    tab = reports.tab();
  });

  async function open(body: string): Promise<void> {
    const file = path.join(reports.folder(), 'page.html');
    writeFileSync(file, `<!doctype html><html lang="en"><title>page</title><body><main>${body}</main></body></html>`);
    await tab.open(file);
  }

  it.each([
    ['a text that pushes the page wider', `<p style="width: 3000px">wide</p>`, /^the page scrolls sideways/],
    [
      'an element that cuts its text off',
      `<p style="width: 40px; overflow: hidden">Uncuttable</p>`,
      /^wider than its box/,
    ],
    ['a truncated line below', `<div style="height: 9px; overflow: hidden">low</div>`, /^cut off below/],
    [
      'a number whose digits are on two lines',
      `<p style="width: 30px; overflow-wrap: anywhere">12,345</p>`,
      /^a number on \d lines: 12,345/,
    ],
    [
      'two texts on each other',
      `<p>first</p><p style="position: absolute; top: 0; left: 12px">second</p>`,
      /^texts overlap by .*“first”/,
    ],
    [
      'a label outside of its picture',
      `<svg width="90" height="40"><text x="70" y="20">label</text></svg>`,
      /^text leaves its picture by \d+ px right/,
    ],
  ])('%s', async (_, body, finding) => {
    await open(body);
    expect(await tab.layout()).toContainEqual(expect.stringMatching(finding));
  });

  it('no fault of a page that has none', async () => {
    await open(
      `<h1>page</h1><p>first</p><p>second</p><svg width="90" height="40"><text x="9" y="20">label</text></svg>`,
    );
    expect(await tab.layout()).toEqual([]);
    expect(await tab.accessibility()).toEqual([]);
  });

  it('a label that its background hides, and one on a band behind it', async () => {
    const band = (colour: string): string =>
      `<svg width="90" height="40"><rect width="90" height="40" fill="${colour}"/><text x="9" y="20" fill="#999">label</text></svg>`;
    await open(`<h1>page</h1>${band('#888')}`);
    expect(await tab.accessibility()).toEqual([expect.stringMatching(/^contrast 1\.\d+: “label”/)]);
    await open(`<h1>page</h1>${band('#000')}`);
    expect(await tab.accessibility()).toEqual([]);
  });

  it('a heading that skips a level, and a message of the console', async () => {
    await open(`<h1>page</h1><h3>deep</h3>`);
    expect(await tab.accessibility()).toEqual([expect.stringMatching(/^heading-order/)]);
    await tab.page.evaluate(`console.log('said')`);
    expect(tab.unwanted).toEqual(['console: said']);
  });
});

describe('reading figures back', () => {
  it('finds one that differs in its last printed digit', async () => {
    const { result } = await sampleRun();
    const table = (change: string) => ({
      title: 'with-log-volume vs without-log-volume',
      place: 'comparison',
      columns: ['metric', 'without-log-volume', 'with-log-volume', 'change', 'confidence interval'],
      rows: [['TPS', '1,447', '1,897', change, '29% to 32%']],
    });
    const shown = (change: string) => ({ tables: [table(change)], pictures: [], headline: '' });
    expect(readFigures(result, shown('+31.1%'))).toEqual({ read: 5, wrong: [] });
    expect(readFigures(result, shown('+31.2%')).wrong).toEqual([expect.stringContaining('printed “+31.2%”')]);
    expect(readFigures(result, shown('')).wrong).toHaveLength(1);
  });
});
