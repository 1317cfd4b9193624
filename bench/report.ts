import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import * as z from 'zod';
import { openFolder } from '../runner/analysis/open-result.ts';
import { knowFolder } from '../runner/files/open-folder.ts';
import { writeReport } from '../runner/report/write-report.ts';
import { median } from '../runner/statistics/summaries.ts';
import { launchChromium } from '../scripts/chromium.ts';
import { saveSample } from '../test/helpers/samples/saved-sample.ts';

const rounds = 3;

/** What the page of the large run may take at most. */
const bounds = { megabytes: 5, rendered: 3, opened: 2, longestTask: 0.1 };

/** Sizes in MB, times in seconds. */
type Taken = Record<keyof typeof bounds, number>;

const large = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`variant-${index + 1}`, 1 + index / 20]));

/**
 * Measures the page of a run of ten variants in 20 blocks of an hour, at a point a second: its size, how long it takes to
 * make and to open, and the longest task while a reader scrolls through all of it. The page of quick takes turns with it, so
 * that other load slows both. Ends with 1 if the large one takes more than it may.
 */
export async function benchReport(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pgduet-bench-report-'));
  const browser = await launchChromium();
  try {
    const runs = { quick: path.join(folder, 'quick'), large: path.join(folder, 'large') };
    await saveSample(runs.quick);
    await saveSample(runs.large, { variants: large, blocks: 20, trialSeconds: 3600 });
    const taken = { quick: [] as Taken[], large: [] as Taken[] };
    // The first report of a process takes longer.
    await measure(runs.quick, browser);
    for (let round = 0; round < rounds; round += 1) {
      taken.quick.push(await measure(runs.quick, browser));
      taken.large.push(await measure(runs.large, browser));
    }
    print('megabytes', 'MB', taken);
    for (const what of ['rendered', 'opened', 'longestTask'] as const) print(what, 's', taken);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
}

function print(what: keyof Taken, unit: string, taken: Record<'quick' | 'large', Taken[]>): void {
  const middle = (all: readonly Taken[]): number => median(all.map((one) => one[what])) ?? NaN;
  const [quick, own] = [middle(taken.quick), middle(taken.large)];
  process.stdout.write(
    `${what.padEnd(12)} quick ${quick.toFixed(3)} ${unit}, large ${own.toFixed(3)} ${unit} of at most ${bounds[what]}, ${(own / quick).toFixed(1)} times\n`,
  );
  if (!(own <= bounds[what])) process.exitCode = 1;
}

async function measure(folder: string, browser: Browser): Promise<Taken> {
  const { result, series } = await openFolder(folder);
  const begun = performance.now();
  const { html } = await writeReport(knowFolder(folder), result, series);
  const rendered = (performance.now() - begun) / 1000;
  const page = await browser.newPage({ viewport: { width: 1440, height: 800 } });
  try {
    await page.goto(pathToFileURL(html).href);
    const opened = await page.evaluate<number>(`performance.getEntriesByType('navigation')[0].loadEventEnd / 1000`);
    return { megabytes: statSync(html).size / 1e6, rendered, opened, longestTask: await longestTask(page, browser) };
  } finally {
    await page.close();
  }
}

const traceSchema = z.object({
  traceEvents: z.array(
    z.object({
      name: z.string(),
      pid: z.number(),
      tid: z.number(),
      /** Microseconds. */
      dur: z.number().optional(),
      args: z.looseObject({ name: z.unknown().optional() }).optional(),
    }),
  ),
});

/** Scrolls through the page with everything open. @returns the longest task of its main thread, in seconds */
async function longestTask(page: Page, browser: Browser): Promise<number> {
  await page.evaluate(`document.querySelectorAll('details').forEach((one) => (one.open = true))`);
  const height = await page.evaluate<number>('document.documentElement.scrollHeight');
  await page.mouse.move(700, 400);
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] });
  for (let top = 0; top < height; top += 600) {
    await page.mouse.wheel(0, 600);
    await page.waitForTimeout(30);
  }
  const { traceEvents } = traceSchema.parse(JSON.parse((await browser.stopTracing()).toString()));
  const mainThreads = traceEvents
    .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
    .map(({ pid, tid }) => `${pid}/${tid}`);
  const tasks = traceEvents.filter(
    ({ name, pid, tid }) => name.endsWith('RunTask') && mainThreads.includes(`${pid}/${tid}`),
  );
  if (tasks.length === 0) throw new Error('the trace holds no task of the page');
  return tasks.reduce((max, { dur = 0 }) => Math.max(max, dur), 0) / 1e6;
}
