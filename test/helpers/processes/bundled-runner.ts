import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { project } from '../synthesize.ts';

/** Makes the runner of a driver as `npm run bundle` does; returns its folder. The bill of materials lies beside it. */
export function bundledRunner(): string {
  execFileSync(process.execPath, ['bin/run.mjs', 'scripts/bundle.ts'], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return path.join(project, 'dist/runner');
}
