import { existsSync, readdirSync, readFileSync, statfsSync, statSync } from 'node:fs';

/**
 * The process of PostgreSQL on this machine that started the process of a session. In a container, a process has a
 * number of its own, which the kernel shows as well.
 *
 * @param session.pid as its server numbers it
 * @returns null if this machine does not show it
 */
export function serverBehind({ pid, user, database }: { pid: number; user: string; database: string }): number | null {
  if (!existsSync('/proc')) return null;
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const title = read(`/proc/${name}/cmdline`);
    if (!title.startsWith('postgres: ') || !title.includes(` ${user} ${database} `)) continue;
    const status = read(`/proc/${name}/status`);
    // Its numbers in all namespaces, that of the container last.
    const numbers = /^NSpid:\t(.*)$/m.exec(status)?.[1]?.split('\t') ?? [name];
    const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1];
    if (Number(numbers.at(-1)) === pid && parent !== undefined) return Number(parent);
  }
  return null;
}

/** The disk with the databases of a server. */
export interface ServerDisk {
  /** Number of the device. */
  id: number;
  freeBytes: number;
}

/**
 * The disk of a server on this machine, perhaps in a container: it works in the folder of its data.
 *
 * @param postmaster its first process
 * @returns null if this machine does not show it to this user
 */
export function diskBehind(postmaster: number): ServerDisk | null {
  const databases = `/proc/${postmaster}/cwd/base`;
  try {
    const { bavail, bsize } = statfsSync(databases);
    return { id: statSync(databases).dev, freeBytes: bavail * bsize };
  } catch {
    return null;
  }
}

/** Empty if the process has ended, or is hidden. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
