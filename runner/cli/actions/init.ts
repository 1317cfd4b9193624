import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { experimentsFolder, findExperiment } from '../../experiment/file/find.ts';
import { UserError } from '../../contract/errors.ts';
import { wrapLines } from '../../report/terminal/wrap.ts';
import type { Io } from '../io.ts';

export function init(name: string, options: { from: string; json?: true }, io: Io): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new UserError(`"${name}" cannot name an experiment: lower-case letters, digits and single hyphens, please.`);
  }
  const file = path.join(io.workingFolder, experimentsFolder, `${name}.yaml`);
  const shown = path.join(experimentsFolder, `${name}.yaml`);
  if (existsSync(file)) throw new UserError(`${shown} is there already; choose another name or edit it.`);
  const template = readFileSync(findExperiment(options.from, io.workingFolder).file, 'utf8');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, template.replace(/^name:.*$/m, `name: ${name}`), { flag: 'wx' });
  io.stdout.write(
    options.json
      ? `${JSON.stringify({ path: file })}\n`
      : `${wrapLines(`Wrote ${shown}. Edit it, then: npx pgduet plan ${name}`, io.columns)}\n`,
  );
}
