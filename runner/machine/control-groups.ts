import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseMountInfo } from './mount-info.ts';

/** A mounted hierarchy of control groups, see cgroups(7). */
export interface Hierarchy {
  version: 1 | 2;
  /** Where it is mounted. */
  folder: string;
  /** The group that is mounted there: in a container often not the root of the hierarchy. */
  top: string;
  /** The line of /proc/PID/cgroup that names the group of a process. */
  line: RegExp;
}

/** A group of a process. */
export interface ControlGroup {
  version: 1 | 2;
  name: string;
  /** Where the kernel shows it. */
  folder: string;
}

/**
 * The hierarchies that may divide what this controller divides, such as `memory`: that of version 1, which is its own, and that
 * of version 2, which all controllers share. None if /proc or /sys do not show them.
 *
 * @param root of the system; another one only in tests
 */
export function hierarchiesOf(controller: string, root = '/'): Hierarchy[] {
  return parseMountInfo(textOf(path.join(root, 'proc/self/mountinfo'))).flatMap(
    ({ fileSystem, path: mountPoint, root: top, options }): Hierarchy[] => {
      const folder = path.join(root, mountPoint);
      if (fileSystem === 'cgroup2') return [{ version: 2, folder, top, line: /^0::(.*)$/m }];
      if (fileSystem !== 'cgroup' || !options.includes(controller)) return [];
      return [{ version: 1, folder, top, line: new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm') }];
    },
  );
}

/**
 * The groups of a process, from its own to the outermost one that can be seen from here.
 *
 * @param listed /proc/PID/cgroup of the process
 */
export function groupsIn({ version, folder, top, line }: Hierarchy, listed: string): ControlGroup[] {
  const name = line.exec(listed)?.[1];
  if (name === undefined) return [];
  // A container may see only its own group, and the kernel may still name it from the root of the hierarchy.
  const inside = path.posix.relative(top, name);
  return pathsUp(inside.startsWith('..') ? '/' : `/${inside}`).map((each) => ({
    version,
    name: inside.startsWith('..') ? name : path.posix.join(top, each),
    folder: path.join(folder, each),
  }));
}

/** The groups of this process that may divide what a controller divides. */
export function ownGroups(controller: string, root = '/'): ControlGroup[] {
  const listed = textOf(path.join(root, 'proc/self/cgroup'));
  return hierarchiesOf(controller, root).flatMap((hierarchy) => groupsIn(hierarchy, listed));
}

/** What a group's file holds; empty if it cannot be read: it is not there, or belongs to another namespace. */
export function fileOf({ folder }: ControlGroup, name: string): string {
  return textOf(path.join(folder, name));
}

/** Empty if the file cannot be read. */
export function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

/** `/a/b`, `/a` and `/` for `/a/b`. */
function pathsUp(group: string): string[] {
  return group === '/' ? ['/'] : [group, ...pathsUp(path.dirname(group))];
}
