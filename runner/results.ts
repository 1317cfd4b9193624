import { openFolder } from './analysis/open-result.ts';
import type { Report } from './contract/report.ts';
import type { Result } from './contract/result.ts';
import { knowFolder } from './files/open-folder.ts';
import { reportOf } from './report/report-file.ts';
import { readKept } from './storage/kept-run.ts';
import { namedRunFolder } from './storage/run-folder.ts';
import { reported } from './report/reported.ts';

/** What a program of one's own imports to read results: `import { readResult } from 'pgduet/results'`. */
export type { Report } from './contract/report.ts';
export type { Result } from './contract/result.ts';

/**
 * Reads the result of a run, and checks its files by the manifest. A run that did not end in order has a result of the
 * trials that it has.
 *
 * @param folder of the run, such as `results/quick/latest`
 * @throws an error that names the file, if there is no result, or if a file is damaged or not what the run wrote
 */
export async function readResult(folder: string): Promise<Result> {
  return (await openFolder(folder)).result;
}

/**
 * What report.json of the run says: made of its checked result, so that it is right whatever the file beside it holds.
 * Its commands name the folder as it is named here.
 *
 * @param folder of the run, such as `results/quick/latest`
 * @throws as `readResult`
 */
export async function readReport(folder: string): Promise<Report> {
  const { result } = await openFolder(folder);
  const kept = await readKept(knowFolder(namedRunFolder(folder)), result, folder);
  return reportOf(reported(result, kept));
}
