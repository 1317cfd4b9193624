import path from 'node:path';
import type { Result } from '../contract/result.ts';
import type { KnownFolder } from '../files/open-folder.ts';
import { writeFileIn } from '../files/write.ts';
import type { SeriesSource } from '../storage/series.ts';
import { renderMarkdown } from './markdown.ts';
import { pairsCsv } from './pairs-csv.ts';
import { visible } from './words/visible.ts';

/** Paths of the files: absolute or relative, as the folder was given. */
export interface ReportFiles {
  html: string;
  markdown: string;
  csv: string;
}

/**
 * Writes report.html, report.md and pairs.csv into the folder of a result, each of them completely or not at all.
 *
 * @param folder as it was known before the result was read: whoever owns it may swap it for another one meanwhile
 * @throws {UserError} if its path leads elsewhere by now
 */
export async function writeReport(folder: KnownFolder, result: Result, series: SeriesSource): Promise<ReportFiles> {
  const names = { html: 'report.html', markdown: 'report.md', csv: 'pairs.csv' };
  // The library of the charts takes a second to load. Only this needs it, so it is loaded here.
  const { renderHtml } = await import('./html/page.ts');
  const texts = { html: await renderHtml(result, series), markdown: renderMarkdown(result), csv: pairsCsv(result) };
  for (const [kind, text] of Object.entries(texts)) {
    await writeFileIn(folder, names[kind as keyof ReportFiles], visible(text));
  }
  const at = (name: string): string => path.join(folder.path, name);
  return { html: at(names.html), markdown: at(names.markdown), csv: at(names.csv) };
}
