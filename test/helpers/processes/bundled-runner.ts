import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { project } from '../synthesize.ts';

let made: string | undefined;

/**
 * Makes the runner of a driver as `npm run bundle` does, once for all files of this process, in a folder of its own; returns
 * that folder. The bill of materials lies beside it.
 */
export function bundledRunner(): string {
  if (made === undefined) {
    const folder = mkdtempSync(path.join(tmpdir(), 'bundled-runner-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    made = path.join(folder, 'runner');
    execFileSync(process.execPath, ['bin/run.mjs', 'scripts/bundle.ts', made], {
      cwd: project,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return made;
}
