import { type ControlGroup, fileOf, groupsIn, hierarchiesOf, textOf } from '../../machine/control-groups.ts';

/** What decides about the processors of a group, by version of control groups. */
const files = { 1: ['cpu.shares', 'cpu.cfs_quota_us'], 2: ['cpu.weight', 'cpu.max', 'cpu.idle'] };

/**
 * Tells what divides processors among groups of processes: the autogroup of a process with its nice value, and its control
 * groups, from the innermost to the root, each with its weight and limit; empty if they cannot be read. Each group is
 * read once.
 */
export function cpuGroups(): (process: number | 'self') => string {
  const hierarchies = hierarchiesOf('cpu');
  const read = new Map<string, string>();
  const shared = (group: ControlGroup): string => {
    const known = read.get(group.folder) ?? files[group.version].map((file) => fileOf(group, file)).join(' ');
    read.set(group.folder, known);
    return `${group.name} ${known}`;
  };
  return (process) => {
    const listed = textOf(`/proc/${process}/cgroup`);
    const groups = hierarchies.flatMap((hierarchy) => groupsIn(hierarchy, listed));
    return [textOf(`/proc/${process}/autogroup`), ...groups.map(shared)].join(';');
  };
}
