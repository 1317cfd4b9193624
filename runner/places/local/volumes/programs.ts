import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathOfProgram, searchPath } from '../../../process/program-path.ts';
import { aptCommands, carryOutInstallation } from '../package-manager.ts';

/** Programs that limited volumes need, with the Debian and Ubuntu packages that contain them. */
const debianPackages: Record<string, readonly string[]> = {
  // In qemu-system-common up to Debian 12 and Ubuntu 23.10, and in qemu-utils since then. Both together work
  // everywhere.
  'qemu-storage-daemon': ['qemu-system-common', 'qemu-utils'],
  nbdfuse: ['libnbd-bin'],
  losetup: ['mount'],
  mount: ['mount'],
  umount: ['mount'],
  'mkfs.ext4': ['e2fsprogs'],
};

/** Programs that limited volumes need but this machine does not have. */
export function missingPrograms(): string[] {
  return Object.keys(debianPackages).filter((program) => pathOfProgram(program) === null);
}

/** How to get the missing programs on this machine, for messages. */
export function installHint(missing: readonly string[]): string {
  if (isDebian()) return `Install them: sudo apt-get install ${packagesOf(missing).join(' ')}`;
  if (existsSync('/etc/fedora-release')) return 'Install them: sudo dnf install qemu-img nbdfuse e2fsprogs';
  return 'They belong to QEMU (qemu-storage-daemon), libnbd (nbdfuse), util-linux and e2fsprogs';
}

/** The packages that a run installs for limited volumes; none if it cannot, or if nothing is missing. */
export function packagesToInstall(): string[] {
  return process.getuid?.() === 0 && isDebian() ? packagesOf(missingPrograms()) : [];
}

/**
 * Installs what is missing for limited volumes, if it can do so without asking: as root, on Debian and its derivatives.
 * Otherwise, or if nothing is missing, it does nothing.
 *
 * @throws {CommandError} if the packages cannot be installed
 */
export async function installVolumePackages(say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const packages = packagesToInstall();
  if (packages.length === 0) return;
  say(`Installing ${packages.join(', ')} for IOPS-limited volumes ...`);
  await carryOutInstallation(aptCommands(packages), say, signal);
}

/** Environment whose PATH includes the system's own tools: not every root has them on its PATH. */
export function toolEnvironment(): Record<string, string | undefined> {
  return { ...process.env, LC_ALL: 'C', PATH: searchPath().join(path.delimiter) };
}

function packagesOf(programs: readonly string[]): string[] {
  return [...new Set(programs.flatMap((program) => debianPackages[program] ?? []))];
}

function isDebian(): boolean {
  return existsSync('/usr/bin/apt-get');
}
