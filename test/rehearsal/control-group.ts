import { mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../runner/experiment/user-error.ts';

const prefix = 'pgduet-rehearsal-';

/**
 * A control group of its own for a rehearsal, whose machines' systemd would otherwise look after the groups of this host.
 *
 * @returns its folder
 * @throws {UserError} where this host has no cgroup v2
 */
export function makeControlGroup(name: string): string {
  const parent = ownGroup();
  for (const old of readdirSync(parent)) if (old.startsWith(prefix)) removeControlGroup(path.join(parent, old));
  const folder = path.join(parent, `${prefix}${process.pid}-${name}`);
  mkdirSync(folder);
  return folder;
}

/** Removes it and those in it, but for what still has processes. */
export function removeControlGroup(folder: string): void {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeControlGroup(path.join(folder, entry.name));
    }
    rmdirSync(folder);
  } catch {
    // Somebody else's rehearsal.
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
