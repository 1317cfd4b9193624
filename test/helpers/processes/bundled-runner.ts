import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bundleRunner } from '../../../lib/runner-bundle.ts';
import { project } from '../synthesize.ts';

let made: Promise<string> | undefined;

/**
 * Makes the runner of a driver once for all files of this process, in a folder of its own; returns that folder. The bill of
 * materials lies beside it.
 */
export function bundledRunner(): Promise<string> {
  if (!made) {
    const folder = mkdtempSync(path.join(tmpdir(), 'bundled-runner-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    made = bundleRunner(project, path.join(folder, 'runner'));
  }
  return made;
}
