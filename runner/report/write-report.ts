import path from 'node:path';
import writeFileAtomic from 'write-file-atomic';
import type { Result } from '../contract/result.ts';
import { renderMarkdown } from './markdown.ts';

/** Absolute or relative as the folder was given. */
export interface ReportFiles {
  html: string;
  markdown: string;
}

/** Writes report.html and report.md into the folder of a result; each appears whole or not at all. */
export async function writeReport(folder: string, result: Result): Promise<ReportFiles> {
  const files = { html: path.join(folder, 'report.html'), markdown: path.join(folder, 'report.md') };
  // The charts' library takes a second to load, which every other command can do without.
  const { renderHtml } = await import('./html/page.ts');
  await writeFileAtomic(files.html, renderHtml(result));
  await writeFileAtomic(files.markdown, renderMarkdown(result));
  return files;
}
