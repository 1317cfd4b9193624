import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { codeBlocks } from '../helpers/documents.ts';
import { runCommandLine } from '../helpers/fakes/fake-io.ts';
import { temporaryFolder } from '../helpers/fakes/fake-run.ts';
import type { RecordedSample } from '../helpers/samples/changed-sample.ts';
import { failedCheck } from '../helpers/samples/measured-trial.ts';
import type { SampleOptions } from '../helpers/samples/sample-result.ts';
import { saveSample } from '../helpers/samples/saved-sample.ts';
import { project } from '../helpers/synthesize.ts';
import { missingLines } from '../rehearsal/account/documented-screens.ts';
import { scopes } from '../../runner/contract/comparison.ts';
import { scopeWords } from '../../runner/report/answer/change-words.ts';

const file = 'docs/reading-a-report.md';
const text = readFileSync(path.join(project, file), 'utf8');
const candidate = 'with-log-volume';

/** Runs with every outcome that the page shows. */
const runs: [SampleOptions, ((sample: RecordedSample) => void)?][] = [
  [{}],
  [{ variants: { base: 1, slow: 0.7, fast: 1.2, fastest: 1.5 }, blocks: 8 }],
  [{ variants: { 'without-log-volume': 1, [candidate]: 1.002 } }],
  [{ variants: { 'without-log-volume': 1, [candidate]: 1.002 }, decision: { practicalThreshold: 0.01 } }],
  [{ blocks: 2 }],
  [{ blocks: 8, failedTrial: { block: 2, variant: candidate } }],
  [
    {},
    ({ trials }) => {
      for (const trial of trials) if (trial.block <= 2) trial.checks = [...trial.checks, failedCheck];
    },
  ],
];

it('shows sentences of reports as they are', async () => {
  const reports = await Promise.all(
    runs.map(async ([options, change]) => {
      const folder = temporaryFolder();
      await saveSample(folder, options, change);
      await runCommandLine(['report', '.'], { workingFolder: folder });
      return plain(readFileSync(path.join(folder, 'report.md'), 'utf8'));
    }),
  );
  const quotes = [...text.matchAll(/(?:^>.*\n)+/gm)].map(([quote]) => plain(quote.replaceAll(/^> ?/gm, '')));
  expect(quotes.length).toBeGreaterThan(5);
  expect(quotes.filter((quote) => !reports.some((report) => report.includes(quote)))).toEqual([]);
});

it('names sections of a report', async () => {
  const folder = temporaryFolder();
  await saveSample(folder);
  await runCommandLine(['report', '.'], { workingFolder: folder });
  const page = plain(readFileSync(path.join(folder, 'report.html'), 'utf8').replaceAll(/<[^>]*>/g, ' '));
  const [, rest = ''] = text.split('## The pairs, and the rest\n');
  const named = [...rest.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, title = '']) => title);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((title) => !page.includes(title))).toEqual([]);
});

it('names every scope that an answer may have', () => {
  expect(
    scopes.map((scope) => scopeWords(scope, 1, { hostsMayChange: true }).on).filter((on) => !text.includes(`| ${on} `)),
  ).toEqual([]);
});

it('shows rows of the table as they are', async () => {
  const folder = temporaryFolder();
  await saveSample(folder);
  const { stdout } = await runCommandLine(['compare', '.', '.'], { workingFolder: folder, columns: 100 });
  const [shown] = codeBlocks({ file, text }).filter(({ language }) => language === 'text compare');
  const rows = shown?.code.split('\n').filter((line) => line !== '') ?? [];
  expect(rows.length).toBeGreaterThan(3);
  expect(missingLines(rows, stdout)).toEqual([]);
});

/** With single spaces, and without the marks of Markdown. */
function plain(markdown: string): string {
  return markdown
    .replaceAll(/\*\*|\\/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
