import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { knowFolder } from '../../../runner/files/open-folder.ts';
import { writeReport } from '../../../runner/report/write-report.ts';
import { isChartName, isSealable } from '../../../runner/storage/run-files.ts';
import { launchChromium } from '../../../scripts/chromium.ts';
import { temporaryFolder } from '../../helpers/fakes/fake-run.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { reportedResults } from '../../helpers/samples/reported-results.ts';
import { sampleRun } from '../../helpers/samples/sample-result.ts';
import { hostileResult } from '../../sinks/hostile.ts';

async function written({ result, series }: OpenedResult, folder = temporaryFolder()): Promise<string> {
  await writeReport(knowFolder(folder), result, series);
  return folder;
}

const chartsIn = (folder: string): string[] => readdirSync(path.join(folder, 'charts')).sort();

describe.each(Object.entries({ ...reportedResults, hostile: hostileResult }))(
  'the pictures beside report.md: %s',
  (_, make) => {
    let folder: string;
    beforeAll(async () => {
      folder = await written(await make(), mkdtempSync(path.join(tmpdir(), 'charts-')));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('are all in report.md, with what they show in words, and have names of our own', () => {
      const markdown = readFileSync(path.join(folder, 'report.md'), 'utf8');
      const shown = [...markdown.matchAll(/^!\[(.+)\]\((\S+)\)$/gm)].map(([, words = '', name = '']) => ({
        words,
        name,
      }));
      expect(shown.map(({ name }) => name.replace('charts/', '')).sort()).toEqual(chartsIn(folder));
      expect(shown.length).toBeGreaterThan(2);
      // In a pull request, the files are not beside it.
      expect(markdown.split('<details>')[0]).not.toContain('![');
      expect(markdown).toMatch(/^<details><summary>Chart of the change \([^\n]*\)<\/summary>\n\n!\[/m);
      for (const { words, name } of shown) {
        expect(words.length).toBeGreaterThan(40);
        expect(name).toMatch(/^charts\/[a-z]+(-\w+)*\.svg$/);
        expect([isChartName(path.basename(name)), isSealable(name)]).toEqual([true, false]);
      }
    });

    it('need no style sheet, and have nothing that acts or leads elsewhere', () => {
      for (const name of chartsIn(folder)) {
        const svg = readFileSync(path.join(folder, 'charts', name), 'utf8');
        const [head = ''] = svg.split('>');
        expect(head.replace(/\s+/g, ' ')).toMatch(
          /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"/,
        );
        expect(svg.includes('<rect width="100%" height="100%" fill="#fff" />')).toBe(true);
        expect(svg.includes('="var(')).toBe(false);
        const tags = new Set([...svg.matchAll(/<([a-z]+)/gi)].map(([, tag]) => tag));
        const known = ['svg', 'title', 'desc', 'rect', 'text', 'g', 'path', 'polygon', 'polyline', 'circle'];
        expect([...tags].filter((tag) => !known.includes(tag ?? ''))).toEqual([]);
        expect(svg.match(/<[^>]*\s(href|on\w+|xlink:href)=/i)?.[0]).toBeUndefined();
      }
    });
  },
);

it.runIf(hasChromium)(
  'a browser draws each of them at its size, and runs nothing of a hostile result',
  { timeout: 120_000 },
  async () => {
    const folder = await written(await hostileResult());
    const browser = await launchChromium();
    try {
      const tab = await browser.newPage();
      for (const name of chartsIn(folder)) {
        await tab.goto(pathToFileURL(path.join(folder, 'charts', name)).href);
        const found = await tab.evaluate(`({
        root: document.documentElement.nodeName,
        broken: document.querySelectorAll('parsererror').length,
        owned: window.owned ?? null,
        width: document.documentElement.getBoundingClientRect().width,
        drawn: document.querySelectorAll('path, polygon, polyline, circle').length > 0,
      })`);
        expect(found, name).toEqual({ root: 'svg', broken: 0, owned: null, width: 920, drawn: true });
      }
    } finally {
      await browser.close();
    }
  },
);

describe('a second report', () => {
  it('leaves no picture of the first one that it does not have, and no file that is not a picture of ours is touched', async () => {
    const ladder = await reportedResults['ladder']?.();
    if (!ladder) throw new Error('no ladder');
    const folder = await written(ladder);
    const first = chartsIn(folder);
    writeFileSync(path.join(folder, 'charts/Notes of mine.svg'), '');
    await written(await sampleRun(), folder);
    const second = chartsIn(folder);
    expect(first.filter((name) => !second.includes(name))).toContain('ladder-1-2.svg');
    expect(second).toEqual(['Notes of mine.svg', ...chartsIn(await written(await sampleRun()))].sort());
  });

  it('follows no link in place of the folder of pictures', async () => {
    const [folder, victim] = [temporaryFolder(), temporaryFolder()];
    writeFileSync(path.join(victim, 'change.svg'), 'not to be touched');
    mkdirSync(folder, { recursive: true });
    symlinkSync(victim, path.join(folder, 'charts'));
    await expect(written(await sampleRun(), folder)).rejects.toThrow('charts is not a folder');
    expect(readFileSync(path.join(victim, 'change.svg'), 'utf8')).toBe('not to be touched');
    expect(existsSync(path.join(folder, 'report.md'))).toBe(false);
  });
});
