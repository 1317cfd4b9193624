import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../runner/experiment/user-error.ts';
import { demandCommand } from '../../runner/process/run-command.ts';

/** The emulator of AWS: a Python package. */
const emulatorPackage = path.join(import.meta.dirname, 'emulator');

/**
 * The Python environment with the emulator and the aws command line, made where it is not there yet.
 *
 * @returns its folder
 * @throws {UserError} where Python is too old
 */
export async function prepareEmulator(project: string, say: (line: string) => void): Promise<string> {
  const requirements = path.join(emulatorPackage, 'requirements.txt');
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = path.join(project, 'dist/rehearsal', `account-${version}`);
  const complete = path.join(folder, 'complete');
  if (existsSync(complete)) return folder;
  const { stdout } = await demandCommand(['python3', '-c', 'import sys; print(*sys.version_info[:2], sep=".")']);
  const [major = 0, minor = 0] = stdout.trim().split('.').map(Number);
  if (major === 3 && minor < 11) {
    throw new UserError(
      `python3 is Python ${stdout.trim()}; the emulator of AWS needs 3.11 or newer. Put one first on PATH.`,
    );
  }
  say('Installing the emulator of AWS and the aws command line into dist/rehearsal/ ...');
  rmSync(folder, { recursive: true, force: true });
  await demandCommand(['python3', '-m', 'venv', folder]);
  const pip = [path.join(folder, 'bin/pip'), '--quiet', '--disable-pip-version-check'];
  await demandCommand([...pip, 'install', '--requirement', requirements]);
  // Its sources as they are, no copy of them.
  await demandCommand([...pip, 'install', '--no-deps', '--editable', emulatorPackage]);
  // That whatever the package and its requirements need is there, and so pinned.
  await demandCommand([...pip, 'check']);
  writeFileSync(complete, '');
  return folder;
}
