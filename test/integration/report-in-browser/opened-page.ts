import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Result as Checked } from 'axe-core';
import { afterAll, beforeAll } from 'vitest';
import type { OpenedResult } from '../../../runner/analysis/open-result.ts';
import { knowFolder } from '../../../runner/files/open-folder.ts';
import { writeReport } from '../../../runner/report/write-report.ts';
import { launchChromium } from '../../../scripts/chromium.ts';
import { hasChromium } from '../../helpers/has-chromium.ts';
import { reportedResults } from '../../helpers/samples/reported-results.ts';
import type { Shown, ShownTable } from './shown.ts';

/** Pixels of A4 between its margins, at 96 to an inch. */
export const paper = { width: 718, height: 1047 };

/** A browser's tab that opens one report after another. */
export interface ReportTab {
  page: Page;
  /** Messages of the console, errors, and requests of anything but a page that was opened. */
  unwanted: string[];
  /** Opens a file of a report, with the checks in it. */
  open(file: string): Promise<void>;
  layout(): Promise<string[]>;
  /** Violations of accessibility and undecided contrasts, in a line each. */
  accessibility(): Promise<string[]>;
  shown(): Promise<Shown>;
}

/** One browser with one tab for all tests of a file, and a folder for what they open. */
export function reportsInBrowser() {
  let folder: string;
  let browser: Browser;
  let tab: ReportTab;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pgduet-in-browser-'));
    if (!hasChromium) return;
    browser = await launchChromium();
    tab = await openTab(browser);
  });
  afterAll(async () => {
    if (hasChromium) await browser.close();
    rmSync(folder, { recursive: true });
  });
  return {
    browser: () => browser,
    tab: () => tab,
    folder: () => folder,
    /** One of the results that a report must suit, and the page of its report. */
    async saved(name: string): Promise<OpenedResult & { file: string }> {
      const made = await reportedResults[name]?.();
      if (!made) throw new Error(`no result ${name}`);
      const own = path.join(folder, name);
      mkdirSync(own, { recursive: true });
      return { ...made, file: (await writeReport(knowFolder(own), made.result, made.series)).html };
    },
  };
}

export async function openTab(browser: Browser, options: BrowserContextOptions = {}): Promise<ReportTab> {
  const page = await browser.newPage(options);
  const unwanted: string[] = [];
  let address = '';
  page.on('console', (message) => unwanted.push(`console: ${message.text()}`));
  page.on('pageerror', ({ message }) => unwanted.push(`error: ${message}`));
  page.on('request', (request) => {
    if (request.url() !== address) unwanted.push(`request: ${request.url()}`);
  });
  const scripts = [
    await checksScript(),
    readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'),
  ];
  return {
    page,
    unwanted,
    async open(file) {
      address = pathToFileURL(file).href;
      await page.goto(address);
      // By the debugger: the page itself allows no script but its own.
      for (const script of scripts) await page.evaluate(script);
    },
    layout: () => page.evaluate<string[]>('layoutFindings()'),
    async accessibility() {
      const { violations, incomplete } = await page.evaluate<Record<'violations' | 'incomplete', Checked[]>>(
        `axe.run(document, { resultTypes: ['violations', 'incomplete'] })`,
      );
      return [
        ...violations.flatMap(linesOf),
        ...incomplete
          .filter(({ id }) => id === 'color-contrast')
          .flatMap(linesOf)
          // pictureContrasts decides these.
          .filter((line) => !line.includes('undecided in a picture')),
        ...(await page.evaluate<string[]>('pictureContrasts()')),
      ];
    },
    shown: async () => ({
      tables: await page.evaluate<ShownTable[]>('shownTables()'),
      pictures: await page.evaluate<string[]>(
        `[...document.querySelectorAll('[role=img]')].map((one) => one.getAttribute('aria-label').replace(/\\s+/g, ' '))`,
      ),
      headline: await page.evaluate<string>(`document.querySelector('h1').textContent.replace(/\\s+/g, ' ')`),
    }),
  };
}

function linesOf({ id, nodes }: Checked): string[] {
  return nodes.map(({ html, any, none, target }) => {
    const isInPicture = /^<(text|tspan)\b/.test(html);
    const why = [...any, ...none].map(({ message }) => message).join('; ');
    return `${id}: ${isInPicture ? 'undecided in a picture' : target.join(' ')}: ${why}`;
  });
}

/** Number of pages on paper. */
export async function pdfPages(page: Page): Promise<number> {
  const pdf = await page.pdf({ format: 'A4', margin: { top: '15mm', bottom: '15mm', left: '10mm', right: '10mm' } });
  return [...pdf.toString('latin1').matchAll(/\/Type\s*\/Page\b/g)].length;
}

/** The programs of in-page/ in one script. */
async function checksScript(): Promise<string> {
  const entry = path.join(import.meta.dirname, 'in-page/main.ts');
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'iife', write: false });
  return outputFiles[0]?.text ?? '';
}
