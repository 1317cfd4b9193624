import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { Result } from '../contract/result.ts';
import type { SeriesSource } from '../storage/series.ts';
import { renderMarkdown } from './markdown.ts';
import { pairsCsv } from './pairs-csv.ts';

/** Absolute or relative as the folder was given. */
export interface ReportFiles {
  html: string;
  markdown: string;
  csv: string;
}

/** Writes report.html, report.md and pairs.csv into the folder of a result; each appears whole or not at all. */
export async function writeReport(folder: string, result: Result, series: SeriesSource): Promise<ReportFiles> {
  const files = {
    html: path.join(folder, 'report.html'),
    markdown: path.join(folder, 'report.md'),
    csv: path.join(folder, 'pairs.csv'),
  };
  // The charts' library takes a second to load, which every other command can do without.
  const { renderHtml } = await import('./html/page.ts');
  await writeFileAtomic(files.html, await renderHtml(result, series));
  await writeFileAtomic(files.markdown, renderMarkdown(result));
  await writeFileAtomic(files.csv, pairsCsv(result));
  return files;
}
