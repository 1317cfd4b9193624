import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { installedPostgres } from '../../helpers/servers/local-cluster.ts';

/**
 * Makes a folder with the contents of the Amazon Linux 2023 packages that the driver wants, from programs of this host:
 * Node.js, PostgreSQL's clients, jq and unzip. Their versions are those of the host.
 */
export async function makePackages(folder: string): Promise<void> {
  const { folder: postgres } = await installedPostgres();
  const onPath = (name: string): string =>
    execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
  const contents: Record<string, string> = { jq: onPath('jq'), unzip: onPath('unzip') };
  contents['nodejs22'] = process.execPath;
  // Only its name matters: the library of this host is there already.
  contents['libpq'] = path.join(postgres, 'psql');
  for (const major of [15, 16, 17, 18]) {
    contents[`postgresql${major}`] = path.join(postgres, 'psql');
    contents[`postgresql${major}-contrib`] = path.join(postgres, 'pgbench');
  }
  for (const [name, file] of Object.entries(contents)) {
    const programs = path.join(folder, name, 'usr/bin');
    mkdirSync(programs, { recursive: true });
    cpSync(file, path.join(programs, path.basename(file)), { dereference: true });
  }
}
