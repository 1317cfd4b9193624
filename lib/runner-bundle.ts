import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { buildOptions } from '../bin/build-options.mjs';
import { certificateAuthorities } from '../runner/experiment/deploy/certificate-authorities.ts';

/** What the driver's boot and its updates need of the bundle besides the program and the certificates. */
const driverFiles = [
  'begin.sh',
  'pgduet',
  'pgduet-conclude.service',
  'pgduet-update.service',
  'pgduet-update.timer',
  'pgduet.service',
  'update.sh',
];

/**
 * Makes the folder that becomes the driver's runner. It holds one program that needs only Node.js, the certificates of RDS,
 * the kept prices, the systemd units, and the scripts that start it. The same sources give the same bytes.
 *
 * @param project folder of this project
 * @returns absolute path of the folder
 */
export function bundleRunner(project: string): string {
  const output = path.join(project, 'dist', 'runner');
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  buildSync({
    ...buildOptions,
    entryPoints: ['runner/cli/process.ts'],
    // `doctor` is asked before a deploy; what only it needs would be most of the bundle.
    external: [...buildOptions.external, '../../probes/doctor/*'],
    outfile: path.join(output, 'pgduet.mjs'),
  });
  for (const file of driverFiles) cpSync(path.join(project, 'lib', 'driver', file), path.join(output, file));
  // All that are there, with those that the user fetched: the driver's Region decides which it needs.
  cpSync(path.join(project, 'prices'), path.join(output, 'prices'), { recursive: true });
  writeFileSync(path.join(output, 'rds-ca.pem'), `${certificateAuthorities(project).join('\n')}\n`);
  return output;
}
