import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { buildOptions } from './build-options.ts';
import { authoritiesText } from '../runner/rds/deploy/certificate-authorities.ts';
import { materialsPlugin, writeLicenceNotices } from './licence-notices.ts';

/** What the driver's boot and updates need from the bundle, in addition to the program, units and certificates. */
const driverFiles = ['begin.sh', 'pgduet', 'update.sh'];

/** The driver's units, and the settings files that each shares with others. */
const driverUnits = {
  'pgduet.service': ['sandbox.conf', 'unprivileged.conf'],
  'pgduet-conclude.service': ['sandbox.conf', 'unprivileged.conf'],
  'pgduet-update.service': ['sandbox.conf'],
  'pgduet-update.timer': [],
};

/**
 * Makes the folder that becomes the driver's runner: one program that needs only Node.js, the certificates of RDS, the
 * kept prices, the systemd units, the scripts that start it, and the licences of the packages in it. The same sources
 * produce the same bytes. A bill of materials is written beside the folder.
 *
 * @param project folder of this project
 * @param output absolute path of the folder, which is made anew
 * @returns `output`
 */
export async function bundleRunner(project: string, output: string): Promise<string> {
  rmSync(output, { recursive: true, force: true });
  mkdirSync(output, { recursive: true });
  const materials = `${output}.cdx.json`;
  const { metafile } = await build({
    ...buildOptions,
    entryPoints: ['bin/driver.ts'],
    // `doctor` runs before a deploy, not on the driver, and what only it needs would be most of the bundle.
    external: [...buildOptions.external, '../../rds/doctor/*', '../../probes/check-machine.ts'],
    outfile: path.join(output, 'pgduet.mjs'),
    metafile: true,
    plugins: [materialsPlugin(materials)],
  });
  writeLicenceNotices(output, materials, metafile, project);
  for (const file of driverFiles) cpSync(path.join(project, 'lib', 'driver', file), path.join(output, file));
  copyUnits(path.join(project, 'lib', 'driver', 'units'), path.join(output, 'units'));
  // All price files, including those that the user fetched: the driver's Region decides which one it needs.
  cpSync(path.join(project, 'prices'), path.join(output, 'prices'), { recursive: true });
  writeFileSync(path.join(output, 'rds-ca.pem'), authoritiesText(project));
  return output;
}

/**
 * Writes the units as systemd expects them: settings that a unit shares with others are in a folder named after the
 * unit.
 */
function copyUnits(from: string, to: string): void {
  for (const [unit, shared] of Object.entries(driverUnits)) {
    cpSync(path.join(from, unit), path.join(to, unit));
    for (const file of shared) cpSync(path.join(from, file), path.join(to, `${unit}.d`, file));
  }
}
