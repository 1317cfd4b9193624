import { spawnSync } from 'node:child_process';
import { devNull } from 'node:os';
import path from 'node:path';
import { UserError } from '../runner/contract/errors.ts';
import { emulatorPackage, prepareEmulatorChecks } from '../test/rehearsal/start/prepare-emulator.ts';

/**
 * Checks the emulator of AWS, a Python package: format, lint, types and unit tests. All of them run, even if the first ones
 * find something. With --fix, it first corrects what can be corrected automatically. It needs no root, and only the package
 * registry at its start.
 */
const project = path.resolve(import.meta.dirname, '..');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
try {
  const environment = await prepareEmulatorChecks(project, say);
  // No caches: mypy fails if it cannot write its own, and the previous check may have been run by root.
  const mending = { 'ruff check --fix': ['--no-cache', '--quiet'], 'ruff format': ['--no-cache', '--quiet'] };
  const checking = {
    'ruff format --check': ['--no-cache'],
    'ruff check': ['--no-cache'],
    mypy: ['--cache-dir', devNull],
    pytest: [],
  };
  if (process.argv.includes('--fix')) failing(environment, mending);
  const failed = failing(environment, checking);
  if (failed.length > 0) say(`Failed: ${failed.join(', ')}`);
  process.exitCode = failed.length > 0 ? 1 : 0;
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

/** Runs programs of the environment with further arguments; returns those that found something. */
function failing(environment: string, programs: Record<string, readonly string[]>): string[] {
  return Object.entries(programs).flatMap(([words, further]) => {
    const [program = '', ...args] = words.split(' ');
    const { status, error } = spawnSync(path.join(environment, 'bin', program), [...args, ...further], {
      cwd: emulatorPackage,
      stdio: 'inherit',
      // The sources may belong to another user than the one who checks them.
      env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    });
    if (error) throw error;
    return status === 0 ? [] : [words];
  });
}
