import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../runner/contract/errors.ts';

/**
 * Makes a control group for a rehearsal. Otherwise the systemd of its machines would manage the groups of this host.
 * Removes the groups of rehearsals that were killed.
 *
 * @returns the folder of the group
 * @throws {UserError} if this host has no cgroup v2
 */
export function makeControlGroup(name: string): string {
  const parent = ownGroup();
  for (const group of readdirSync(parent)) {
    const maker = /^pgduet-rehearsal-(\d+)-/.exec(group)?.[1];
    if (maker !== undefined && !existsSync(`/proc/${maker}`)) removeControlGroup(path.join(parent, group));
  }
  const folder = path.join(parent, `pgduet-rehearsal-${process.pid}-${name}`);
  mkdirSync(folder);
  return folder;
}

/** Removes the group and the groups in it. */
export function removeControlGroup(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeControlGroup(path.join(folder, entry.name));
    }
    rmdirSync(folder);
  } catch {
    // A process still runs in it. The next rehearsal tries again.
  }
}

function ownGroup(): string {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const [, root] = mounts.find((line) => / cgroup2 /.test(line))?.split(' ') ?? [];
  const own = /^0::(.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  if (root === undefined || own === undefined) {
    throw new UserError('The rehearsal boots a systemd, which needs cgroup v2: there is none mounted here.');
  }
  return path.join(root, own);
}
