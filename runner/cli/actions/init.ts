import path from 'node:path';
import { makeFolder, writeFileIn } from '../../files/write.ts';
import { exists } from '../../files/look.ts';
import { requireSafePath } from '../../files/open-folder.ts';
import { readTextWhole } from '../../files/read.ts';
import { experimentsFolder, findExperiment } from '../../experiment/file/find.ts';
import { UserError } from '../../contract/errors.ts';
import { wrapLines } from '../../report/media/wrap.ts';
import type { Io } from '../io.ts';

export async function init(name: string, options: { from: string; json?: true }, io: Io): Promise<void> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UserError(
      `"${name}" cannot be the name of an experiment. Use lower-case letters, digits and single hyphens.`,
    );
  }
  const file = path.join(io.workingFolder, experimentsFolder, `${name}.yaml`);
  const shown = path.join(experimentsFolder, `${name}.yaml`);
  if (exists(file)) throw new UserError(`${shown} already exists. Choose another name, or edit the file.`);
  const template = readTextWhole(findExperiment(options.from, io.workingFolder).file);
  requireSafePath(path.dirname(file), 'work in another folder');
  makeFolder(path.dirname(file));
  await writeFileIn(path.dirname(file), path.basename(file), ofItsOwn(template, name));
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ path: file })}\n`
      : `${wrapLines(`Wrote ${shown}. Edit it, then: npx pgduet plan ${name}`, io.columns)}\n`,
  );
}

/** The template under a new name. Its questions are left to be written: the old ones would head another experiment's report. */
function ofItsOwn(template: string, name: string): string {
  return template
    .replace(/^name:.*$/m, `name: ${name}`)
    .replaceAll(/^( *)question:.*$/gm, `$1question: What should ${name} answer? Write it here.`);
}
