import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../runner/contract/errors.ts';
import { demandCommand } from '../../../runner/process/run-command.ts';

/** Folder of the emulator of AWS, a Python package. */
export const emulatorPackage = path.resolve(import.meta.dirname, '../emulator');

/** A Python environment in which the package can be imported. It uses the sources in place, not a copy. */
interface PythonEnvironment {
  /** Its folder, without the last part of the name, which depends on the pinned versions. */
  folder: string;
  /** What must be installed in it: the name of a file in the package. */
  requirements: 'requirements.txt' | 'requirements-dev.txt';
  /** What is installed in it, in words. */
  contents: string;
}

/**
 * Makes the Python environment with the emulator and the aws command line, unless it is there already.
 *
 * @returns the folder of the environment
 * @throws {UserError} if Python is too old
 */
export function prepareEmulator(project: string, say: (line: string) => void): Promise<string> {
  return prepared(
    {
      folder: path.join(project, 'dist/rehearsal/account'),
      requirements: 'requirements.txt',
      contents: 'the emulator of AWS and the aws command line',
    },
    say,
  );
}

/**
 * Makes the same environment with the programs that check the emulator. It is not in the rehearsal's folder, which belongs
 * to root.
 *
 * @returns the folder of the environment
 * @throws {UserError} if Python is too old
 */
export function prepareEmulatorChecks(project: string, say: (line: string) => void): Promise<string> {
  return prepared(
    {
      folder: path.join(project, 'dist/emulator-checks'),
      requirements: 'requirements-dev.txt',
      contents: 'the emulator of AWS and what checks it',
    },
    say,
  );
}

async function prepared(
  { folder, requirements, contents }: PythonEnvironment,
  say: (line: string) => void,
): Promise<string> {
  const hash = createHash('sha256');
  // The second file is part of the first one, or the same file.
  for (const file of [requirements, 'requirements.txt']) hash.update(readFileSync(path.join(emulatorPackage, file)));
  const environment = `${folder}-${hash.digest('hex').slice(0, 12)}`;
  const complete = path.join(environment, 'complete');
  if (existsSync(complete)) return environment;
  const { stdout } = await demandCommand(['python3', '-c', 'import sys; print(*sys.version_info[:2], sep=".")']);
  const [major = 0, minor = 0] = stdout.trim().split('.').map(Number);
  if (major === 3 && minor < 11) {
    throw new UserError(
      `python3 is Python ${stdout.trim()}; the emulator of AWS needs 3.11 or newer. Put one first on PATH.`,
    );
  }
  say(`Installing ${contents} into ${path.dirname(environment)}/ ...`);
  rmSync(environment, { recursive: true, force: true });
  await demandCommand(['python3', '-m', 'venv', environment]);
  const pip = [path.join(environment, 'bin/pip'), '--quiet', '--disable-pip-version-check'];
  await demandCommand([...pip, 'install', '--requirement', path.join(emulatorPackage, requirements)]);
  await demandCommand([...pip, 'install', '--no-deps', '--editable', emulatorPackage]);
  // Checks that everything is installed that the package and its requirements need. So all of it is pinned.
  await demandCommand([...pip, 'check']);
  writeFileSync(complete, '');
  return environment;
}
