import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pricesFolder } from '../runner/rds/prices/kept-prices.ts';
import { exists } from '../runner/files/look.ts';
import { temporaryFolder } from '../runner/files/open-folder.ts';
import { ownFile } from '../runner/files/own-files.ts';
import { authoritiesText } from '../runner/rds/deploy/certificate-authorities.ts';

/**
 * The folder with the program for the driver. A package brings it; in a checkout it is made of the sources as they are.
 *
 * @param workingFolder may hold prices and certificates of the user's own, which are added
 */
export async function driverProgram(workingFolder: string): Promise<string> {
  const brought = broughtProgram();
  if (brought !== undefined) return withOwnFiles(brought, workingFolder);
  const made = await (bundled ??= bundle());
  // What the checkout has besides the sources is in it already.
  return path.resolve(workingFolder) === ownFile() ? made : withOwnFiles(made, workingFolder);
}

/** Once for all stacks of this process: the same sources make the same program. */
let bundled: Promise<string> | undefined;

async function bundle(): Promise<string> {
  const { bundleRunner } = await import('./runner-bundle.ts');
  return bundleRunner(ownFile(), path.join(folderForNow(), 'runner'));
}

/** The same, for the constructor of a construct, which cannot wait. @throws if the sources themselves run */
export function packagedDriverProgram(workingFolder: string): string {
  const brought = broughtProgram();
  if (brought === undefined) throw new Error('The sources bring no program for the driver. Set runnerFolder.');
  return withOwnFiles(brought, workingFolder);
}

function broughtProgram(): string | undefined {
  const folder = path.join(import.meta.dirname, 'runner');
  return exists(path.join(folder, 'pgduet.mjs')) ? folder : undefined;
}

function withOwnFiles(program: string, workingFolder: string): string {
  const prices = path.join(workingFolder, pricesFolder);
  const hasCertificates = exists(path.join(workingFolder, 'certificates'));
  if (!exists(prices) && !hasCertificates) return program;
  const folder = path.join(folderForNow(), 'runner');
  cpSync(program, folder, { recursive: true });
  makeWritable(folder);
  if (exists(prices)) cpSync(prices, path.join(folder, pricesFolder), { recursive: true });
  if (hasCertificates) writeFileSync(path.join(folder, 'rds-ca.pem'), authoritiesText(workingFolder));
  return folder;
}

/** A copy has the permissions of its original, and nobody may write to some packages. We add files to it, and remove it. */
function makeWritable(folder: string): void {
  for (const name of ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]) {
    const place = path.join(folder, name);
    chmodSync(place, statSync(place).mode | 0o200);
  }
}

/** A folder of this process, which is removed when the process ends. So several commands may run at the same time. */
function folderForNow(): string {
  const folder = mkdtempSync(path.join(temporaryFolder(), 'pgduet-runner-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
