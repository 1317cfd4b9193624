import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { demandCommand } from '../../runner/process/run-command.ts';

/**
 * The Python environment with the emulator and the aws command line, made where it is not there yet.
 *
 * @returns its folder
 */
export async function prepareEmulator(project: string, say: (line: string) => void): Promise<string> {
  const requirements = path.join(import.meta.dirname, 'emulator/requirements.txt');
  const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const folder = path.join(project, 'dist/rehearsal', `emulator-${version}`);
  const complete = path.join(folder, 'complete');
  if (existsSync(complete)) return folder;
  say('Installing the emulator of AWS and the aws command line into dist/rehearsal/ ...');
  rmSync(folder, { recursive: true, force: true });
  await demandCommand(['python3', '-m', 'venv', folder]);
  const pip = [path.join(folder, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check'];
  await demandCommand([...pip, '--requirement', requirements]);
  writeFileSync(complete, '');
  return folder;
}
