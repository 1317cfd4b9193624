import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../runner/contract/errors.ts';
import { installPostgres } from '../../../runner/places/local/package-manager.ts';
import { runChecked } from '../../../runner/process/run-command.ts';
import { installedPostgres } from '../../helpers/servers/local-cluster.ts';

/** Programs of this host that the rehearsal runs, and Debian's package of each. */
const packages: Record<string, string> = {
  ip: 'iproute2',
  jq: 'jq',
  nft: 'nftables',
  openssl: 'openssl',
  pgbouncer: 'pgbouncer',
  python3: 'python3-venv',
  'systemd-analyze': 'systemd',
  unshare: 'util-linux',
  unzip: 'unzip',
};

/**
 * Installs the missing programs of this host, if apt-get can.
 *
 * @throws {UserError} with the missing programs if it cannot
 */
export async function installPrograms(say: (line: string) => void): Promise<void> {
  const missing = Object.entries(packages).filter(
    ([program]) => !isOnPath(program) || (program === 'python3' && !hasVenv()),
  );
  if (missing.length > 0) {
    const names = missing.map(([, name]) => name);
    if (!isOnPath('apt-get')) {
      throw new UserError(
        `${missing.map(([program]) => program).join(', ')} must be there; Debian has them in ${names.join(', ')}.`,
      );
    }
    say(`Installing ${names.join(', ')} ...`);
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await runChecked(['apt-get', '-q', 'update'], { environment });
    await runChecked(['apt-get', '-q', 'install', '--yes', '--no-install-recommends', ...names], { environment });
  }
  try {
    await installedPostgres();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    await installPostgres(say, new AbortController().signal);
  }
}

/** Debian has venv in a package of its own. */
function hasVenv(): boolean {
  return spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0;
}

function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(path.delimiter).some((folder) => existsSync(path.join(folder, program)));
}
