import { existsSync, rmSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { runChecked } from '../../process/run-command.ts';

interface PackageManager {
  program: string;
  /** Packages that hold the server and pgbench. */
  packages: string[];
  /** Packages that a build of PostgreSQL needs. */
  tools: string[];
  commands: string[][];
}

/** The commands that install Debian packages without asking. */
export function aptCommands(packages: readonly string[]): string[][] {
  const aptGet = ['apt-get', '-o', 'Dpkg::Use-Pty=0', '-q'];
  return [
    [...aptGet, 'update'],
    [...aptGet, 'install', '--yes', '--no-install-recommends', ...packages],
  ];
}

function packageManager(): PackageManager | null {
  if (existsSync('/usr/bin/apt-get')) {
    const packages = ['postgresql', 'postgresql-contrib'];
    return {
      program: 'apt-get',
      packages,
      tools: [
        ...['build-essential', 'bison', 'flex', 'perl', 'pkg-config'],
        ...['libreadline-dev', 'zlib1g-dev', 'libicu-dev'],
      ],
      commands: aptCommands(packages),
    };
  }
  if (existsSync('/usr/bin/dnf')) {
    // Amazon Linux 2023 and Fedora: pgbench is in -contrib.
    const packages = existsSync('/etc/amazon-linux-release')
      ? ['postgresql17-server', 'postgresql17-contrib']
      : ['postgresql-server', 'postgresql-contrib'];
    return {
      program: 'dnf',
      packages,
      tools: ['gcc', 'make', 'bison', 'flex', 'perl', 'pkgconf', 'readline-devel', 'zlib-devel', 'libicu-devel'],
      commands: [['dnf', '--assumeyes', 'install', ...packages]],
    };
  }
  return null;
}

/** The one command that installs PostgreSQL with pgbench on this machine, for messages. */
export function installCommand(): string {
  const manager = packageManager();
  if (manager) return `sudo ${manager.program} install ${manager.packages.join(' ')}`;
  return process.platform === 'darwin' ? 'brew install postgresql@17' : 'your package manager, package postgresql';
}

/** The one command that installs what a build of PostgreSQL needs, for messages. */
export function toolsCommand(): string {
  const manager = packageManager();
  if (manager) return `sudo ${manager.program} install ${manager.tools.join(' ')}`;
  return process.platform === 'darwin'
    ? 'xcode-select --install, and brew install bison flex pkg-config icu4c readline'
    : 'your package manager, packages for a C compiler, make, bison, flex, perl, readline, zlib and ICU';
}

/** Whether `installPostgres` can work here: as root, with a known package manager. */
export function canInstall(): boolean {
  return process.getuid?.() === 0 && packageManager() !== null;
}

/** Installs the distribution's PostgreSQL with pgbench. Keeps Debian's package from creating and starting a server. */
export async function installPostgres(say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const manager = packageManager();
  if (!manager) return;
  say(`PostgreSQL not found; installing ${manager.packages.join(' and ')} with ${manager.program} ...`);
  const noServer = '/etc/postgresql-common/createcluster.d/pgduet.conf';
  const debian = manager.program === 'apt-get';
  if (debian) {
    mkdirSync(path.dirname(noServer), { recursive: true });
    writeFileSync(noServer, 'create_main_cluster = false\n');
  }
  try {
    await carryOutInstallation(manager.commands, say, signal);
  } finally {
    if (debian) rmSync(noServer, { force: true });
  }
}

/**
 * Runs the commands of a package manager. When the signal aborts, it does not stop a command that has begun:
 * half-installed packages would keep the package manager from working.
 *
 * @throws {CommandError} if a command fails; the signal's reason if it aborted
 */
export async function carryOutInstallation(
  commands: readonly (readonly string[])[],
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (const command of commands) {
    signal.throwIfAborted();
    const explain = (): void => say(`pgduet exits as soon as this finishes: ${command.join(' ')}`);
    signal.addEventListener('abort', explain);
    try {
      // eslint-disable-next-line no-restricted-syntax -- must not be stopped
      await runChecked(command, { environment: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } });
    } finally {
      signal.removeEventListener('abort', explain);
    }
  }
  signal.throwIfAborted();
}
