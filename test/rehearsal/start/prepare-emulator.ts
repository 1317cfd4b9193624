import path from 'node:path';
import { preparePython } from '../../../scripts/python-environment.ts';

/** Folder of the emulator of AWS, a Python package. */
export const emulatorPackage = path.resolve(import.meta.dirname, '../emulator');

const requirements = path.join(emulatorPackage, 'requirements.txt');

/**
 * Makes the Python environment with the emulator and the aws command line, unless it is there already.
 *
 * @returns the folder of the environment
 * @throws {UserError} if Python is too old
 */
export function prepareEmulator(project: string, say: (line: string) => void): Promise<string> {
  return preparePython(
    {
      folder: path.join(project, 'dist/rehearsal/account'),
      requirements: [requirements],
      editable: emulatorPackage,
      contents: 'the emulator of AWS with the aws command line',
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
  return preparePython(
    {
      folder: path.join(project, 'dist/emulator-checks'),
      requirements: [path.join(emulatorPackage, 'requirements-dev.txt'), requirements],
      editable: emulatorPackage,
      contents: 'the emulator of AWS with what checks it',
    },
    say,
  );
}
