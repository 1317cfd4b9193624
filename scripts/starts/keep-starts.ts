import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { replaceMarked } from '../../bench/document.ts';
import { UserError } from '../../runner/contract/errors.ts';
import { readResultFile } from '../../runner/storage/run-folder.ts';
import { startsOf } from './document.ts';
import { tableOf } from './table.ts';

/**
 * `npm run starts -- EXPERIMENT RESULT...`: keeps the blocks of these starts in docs/reference/starts/EXPERIMENT.json, and puts
 * their table into docs/reference/starts.md.
 *
 * @param results folders of runs, such as results/quick/2026-11-21T06-28-18Z
 * @param docs folder of starts.md
 * @throws {UserError} if the results are not starts of this experiment, or if their intervals do not follow from their
 *   blocks
 */
export async function keepStarts([experiment = '', ...results]: readonly string[], docs: string): Promise<void> {
  const starts = startsOf(
    results.map((folder) => {
      const result = readResultFile(folder);
      if (!result) throw new UserError(`${folder} holds no result.json of a run that ended.`);
      return result;
    }),
  );
  if (starts.experiment !== experiment) {
    throw new UserError(`These are starts of ${starts.experiment}, not of ${experiment}.`);
  }
  mkdirSync(path.join(docs, 'starts'), { recursive: true });
  const file = path.join(docs, 'starts', `${experiment}.json`);
  writeFileSync(
    file,
    await format(JSON.stringify(starts), { ...(await resolveConfig(import.meta.filename)), parser: 'json' }),
  );
  await replaceMarked(path.join(docs, 'starts.md'), `starts:${experiment}`, tableOf(starts));
}
