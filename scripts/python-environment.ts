import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../runner/contract/errors.ts';
import { runChecked } from '../runner/process/run-command.ts';

export interface PythonEnvironment {
  /** Its folder, without the last part of the name, which depends on the pinned versions. */
  folder: string;
  /** Files that pin what is installed: the first is given to pip, and names the others if there are any. */
  requirements: readonly [string, ...string[]];
  /** A Python package that is used from its sources, not as a copy. */
  editable?: string;
  /** What is installed in it, in words. */
  contents: string;
}

/**
 * Makes a Python environment, unless it exists already.
 *
 * @returns its folder
 * @throws {UserError} if Python is too old
 */
export async function preparePython(
  { folder, requirements, editable, contents }: PythonEnvironment,
  say: (line: string) => void,
): Promise<string> {
  const hash = createHash('sha256');
  for (const file of requirements) hash.update(readFileSync(file));
  const environment = `${folder}-${hash.digest('hex').slice(0, 12)}`;
  const complete = path.join(environment, 'complete');
  if (existsSync(complete)) return environment;
  const { stdout } = await runChecked(['python3', '-c', 'import sys; print(*sys.version_info[:2], sep=".")']);
  const [major = 0, minor = 0] = stdout.trim().split('.').map(Number);
  if (major === 3 && minor < 11) {
    throw new UserError(`python3 is Python ${stdout.trim()}; ${contents} needs 3.11 or newer. Put one first on PATH.`);
  }
  say(`Installing ${contents} into ${path.dirname(environment)}/ ...`);
  rmSync(environment, { recursive: true, force: true });
  await runChecked(['python3', '-m', 'venv', environment]);
  const pip = [path.join(environment, 'bin/pip'), '--quiet', '--disable-pip-version-check'];
  await runChecked([...pip, 'install', '--requirement', requirements[0]]);
  if (editable !== undefined) await runChecked([...pip, 'install', '--no-deps', '--editable', editable]);
  // Checks that everything that the packages need is installed. So all of it is pinned.
  await runChecked([...pip, 'check']);
  writeFileSync(complete, '');
  return environment;
}
