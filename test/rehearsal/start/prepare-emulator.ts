import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../runner/contract/errors.ts';
import { demandCommand } from '../../../runner/process/run-command.ts';

/** The emulator of AWS: a Python package. */
export const emulatorPackage = path.resolve(import.meta.dirname, '../emulator');

/** A Python environment in which the package can be imported: its sources as they are, no copy of them. */
interface PythonEnvironment {
  /** Its folder; the pinned versions complete the name. */
  folder: string;
  /** What has to be in it, by the name of a file of the package. */
  requirements: 'requirements.txt' | 'requirements-dev.txt';
  /** The same in words. */
  contents: string;
}

/**
 * The Python environment with the emulator and the aws command line, made where it is not there yet.
 *
 * @returns its folder
 * @throws {UserError} where Python is too old
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
 * The same with the programs that check the emulator. Not in the folder of the rehearsal, which belongs to root.
 *
 * @returns its folder
 * @throws {UserError} where Python is too old
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
  // The second is a part of the first, or the same.
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
  // That whatever the package and its requirements need is there, and so pinned.
  await demandCommand([...pip, 'check']);
  writeFileSync(complete, '');
  return environment;
}
