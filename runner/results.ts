import { openFolder } from './analysis/open-result.ts';
import type { Result } from './contract/result.ts';

/** What a program of one's own imports to read results: `import { readResult } from 'pgduet/results'`. */
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
