import { availableParallelism, totalmem } from 'node:os';
import path from 'node:path';
import { type ControlGroup, fileOf, ownGroups, textOf } from './control-groups.ts';

/** What this process may use of the machine. In a container, that is often only a part of it. */
export interface Capacity {
  /** The smallest limit of its control groups, or the memory of the machine if that is less. */
  memoryBytes: number;
  /** Processors that it may keep busy: those that it may use, or the lowest quota of its groups. That may be a fraction. */
  processors: number;
  /** The lowest quota of processors, if it is lower than the number of those that it may use; otherwise null. */
  quota: Quota | null;
}

export interface Quota {
  processors: number;
  /** Processor seconds that the group with this quota has taken so far; null if the system does not report them. */
  usedSeconds: () => number | null;
}

/**
 * Reads what this process may use. Limits of groups that cannot be seen from here are unknown, except for the memory in
 * version 1 of control groups.
 *
 * @param root of the system; another one only in tests
 */
export function capacity(
  root = '/',
  machine = { memoryBytes: totalmem(), processors: availableParallelism() },
): Capacity {
  const lowest = quotas(root).sort((one, other) => one.processors - other.processors)[0];
  const quota = lowest && lowest.processors < machine.processors ? lowest : null;
  return {
    memoryBytes: Math.min(machine.memoryBytes, ...ownGroups('memory', root).flatMap(memoryLimits)),
    processors: quota?.processors ?? machine.processors,
    quota,
  };
}

/** Bytes that processes of its control groups can still take before one of these reaches its limit; infinite without a limit. */
export function memoryLeft(root = '/'): number {
  return Math.min(Infinity, ...ownGroups('memory', root).flatMap(leftOf));
}

/** Pages of files that nobody used lately make room by themselves. */
function leftOf(group: ControlGroup): number[] {
  const [usage, pages] =
    group.version === 2 ? ['memory.current', 'inactive_file'] : ['memory.usage_in_bytes', 'total_inactive_file'];
  const taken = Number(fileOf(group, usage) || NaN);
  const freed = Number(new RegExp(`^${pages} (\\d+)$`, 'm').exec(fileOf(group, 'memory.stat'))?.[1] ?? 0);
  return Number.isFinite(taken) ? memoryLimits(group).map((limit) => Math.max(0, limit - taken + freed)) : [];
}

/** The number of threads that can work at the same time: at least one. */
export function usableProcessors(): number {
  return Math.max(1, Math.floor(capacity().processors));
}

/** Limits in bytes; beyond `memory.high`, the kernel slows processes down until they use less. */
function memoryLimits(group: ControlGroup): number[] {
  const texts =
    group.version === 2
      ? ['memory.max', 'memory.high'].map((name) => fileOf(group, name))
      : // Of this group and of all above it, even if they cannot be seen from here.
        [/^hierarchical_memory_limit (\d+)$/m.exec(fileOf(group, 'memory.stat'))?.[1] ?? ''];
  return texts.filter((text) => /^\d+$/.test(text)).map(Number);
}

function quotas(root: string): Quota[] {
  return ownGroups('cpu', root).flatMap((group): Quota[] => {
    const [microseconds = '', period = ''] =
      group.version === 2
        ? fileOf(group, 'cpu.max').split(' ')
        : ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) => fileOf(group, name));
    const processors = Number(microseconds) / Number(period);
    // Without a quota, the file holds `max` or -1.
    if (!(processors > 0) || !Number.isFinite(processors)) return [];
    return [{ processors, usedSeconds: () => usedSeconds(group, root) }];
  });
}

function usedSeconds(group: ControlGroup, root: string): number | null {
  if (group.version === 2) {
    const microseconds = /^usage_usec (\d+)$/m.exec(fileOf(group, 'cpu.stat'))?.[1];
    return microseconds === undefined ? null : Number(microseconds) / 1e6;
  }
  // Version 1 may count in another hierarchy, whose groups need not be the same.
  const counting = ownGroups('cpuacct', root).find(({ version, name }) => version === 1 && name === group.name);
  const nanoseconds = counting ? fileOf(counting, 'cpuacct.usage') : '';
  return nanoseconds === '' ? null : Number(nanoseconds) / 1e9;
}

/** The numbers of the processors that this process may use; null if the system does not report them. */
export function allowedProcessors(root = '/'): ReadonlySet<number> | null {
  const list = allowedList(textOf(path.join(root, 'proc/self/status')));
  if (list === '') return null;
  return new Set(
    list.split(',').flatMap((part) => {
      const [first = NaN, last = first] = part.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    }),
  );
}

/** The processors that a process or thread may use, such as `0-1,4`; empty if the text of its status does not say. */
export function allowedList(status: string): string {
  return /^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1] ?? '';
}
