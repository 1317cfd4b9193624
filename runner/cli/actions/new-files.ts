import path from 'node:path';
import { UserError } from '../../contract/errors.ts';
import { exists } from '../../files/look.ts';
import { makeSafeFolder, removeFile, removeIfEmpty, writeFileIn } from '../../files/write.ts';
import type { Files } from './copy-experiment.ts';

/** @throws {UserError} if no experiment can have this name */
export function requireName(name: string): void {
  if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return;
  throw new UserError(
    `"${name}" cannot be the name of an experiment. Use lower-case letters, digits and single hyphens.`,
  );
}

/** @throws {UserError} if one of the files exists */
export function refuseTaken(names: readonly string[], workingFolder: string): void {
  const taken = names.find((one) => exists(path.join(workingFolder, one)));
  if (taken !== undefined) throw new UserError(`${taken} already exists. Choose another name, or edit the file.`);
}

/** All or nothing: the experiment file is written last, and what cannot be completed is taken back. */
export async function writeFiles(files: Files, workingFolder: string): Promise<void> {
  const written: string[] = [];
  const made: string[] = [];
  try {
    for (const [name, { content, readers = 'everyone' }] of Object.entries(files).toReversed()) {
      const file = path.join(workingFolder, name);
      made.unshift(...makeSafeFolder(path.dirname(file), 'work in another folder'));
      await writeFileIn(path.dirname(file), path.basename(file), content, { readers });
      written.push(file);
    }
  } catch (error) {
    written.forEach(removeFile);
    made.forEach(removeIfEmpty);
    throw error;
  }
}
