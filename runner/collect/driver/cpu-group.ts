import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Where each version of control groups is mounted, with what decides there about the processors of a group. */
const versions = [
  {
    line: /^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m,
    root: '/sys/fs/cgroup/cpu',
    files: ['cpu.shares', 'cpu.cfs_quota_us'],
  },
  { line: /^0::(.*)$/m, root: '/sys/fs/cgroup', files: ['cpu.weight', 'cpu.max', 'cpu.idle'] },
];

/**
 * What divides processors among groups of processes: the autogroup of a process with its nice value, and its control groups, from
 * the innermost to the root, each with its weight and limit; empty if they cannot be read.
 *
 * @param read what was read before, by path; what is read is added
 */
export function cpuGroupOf(process: number | 'self', read: Map<string, string>): string {
  const listed = textOf(`/proc/${process}/cgroup`);
  const controlGroups = versions.flatMap(({ line, root, files }) => {
    const group = line.exec(listed)?.[1];
    return group === undefined
      ? []
      : pathsUp(group).map((each) => `${each} ${remember(read, path.join(root, each), files)}`);
  });
  return [textOf(`/proc/${process}/autogroup`), ...controlGroups].join(';');
}

/** `/a/b`, `/a` and `/` for `/a/b`. */
function pathsUp(group: string): string[] {
  return group === '/' ? ['/'] : [group, ...pathsUp(path.dirname(group))];
}

function remember(read: Map<string, string>, folder: string, files: readonly string[]): string {
  const known = read.get(folder) ?? files.map((file) => textOf(path.join(folder, file))).join(' ');
  read.set(folder, known);
  return known;
}

/** Empty if it cannot be read: it is not there, or belongs to another namespace. */
function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
