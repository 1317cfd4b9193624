import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** How a container differs from the machine: its root is read-only, and it has few devices. */
export interface Container {
  /** The only folder that it may write to. */
  writable: string;
  /** @default root */
  user?: number;
  /** Limits of control groups that it is in. */
  groups?: readonly ControlGroup[];
  /** Further options of bubblewrap, after those that mount the rest. */
  options?: readonly string[];
  /** What the shell does before bubblewrap starts, such as mounts that bubblewrap does not know. */
  before?: string;
  /** The folder that is its root. @default that of the machine */
  root?: string;
}

/** A command that runs its arguments in a container. */
export function inContainer({
  writable,
  user,
  groups = [],
  options = [],
  before = ':',
  root = '/',
}: Container): string[] {
  const join = groups.map(({ folder }) => `echo $$ >'${folder}/cgroup.procs'`);
  return [
    ...['unshare', '--mount', 'sh', '-c', `set -e; ${[...join, before].join('; ')}; exec "$@"`, 'sh'],
    ...['bwrap', root === '/' ? '--ro-bind' : '--bind', root, '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--bind', writable, writable, ...options, '--cap-add', 'ALL', '--'],
    ...(user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--']),
  ];
}

/** Whether this user can make containers here. */
export function canContain(): boolean {
  if (process.getuid?.() !== 0) return false;
  return spawnSync('unshare', ['--mount', 'bwrap', '--ro-bind', '/', '/', 'true'], { timeout: 10_000 }).status === 0;
}

/** A control group with a limit, to be removed when its processes have ended. */
export interface ControlGroup {
  folder: string;
  remove(): void;
}

/** Where groups of each controller can be made, by version. */
function rootOf(controller: 'memory' | 'cpu'): { folder: string; version: 1 | 2 } | null {
  const own = `/sys/fs/cgroup/${controller}`;
  if (existsSync(`${own}/cgroup.procs`)) return { folder: own, version: 1 };
  const shared = '/sys/fs/cgroup/cgroup.subtree_control';
  return existsSync(shared) && readFileSync(shared, 'utf8').includes(controller)
    ? { folder: path.dirname(shared), version: 2 }
    : null;
}

/** @returns null if this machine has no such control groups, or they cannot be changed */
export function controlGroup(limits: { memoryBytes: number } | { processors: number }): ControlGroup | null {
  const root = rootOf('memoryBytes' in limits ? 'memory' : 'cpu');
  if (root === null) return null;
  const files =
    'memoryBytes' in limits
      ? { 1: { 'memory.limit_in_bytes': limits.memoryBytes }, 2: { 'memory.max': limits.memoryBytes } }
      : {
          1: { 'cpu.cfs_quota_us': Math.round(limits.processors * 100_000) },
          2: { 'cpu.max': `${Math.round(limits.processors * 100_000)} 100000` },
        };
  try {
    const folder = mkdtempSync(path.join(root.folder, 'pgduet-test-'));
    // As the system's own groups are: every user reads their limits.
    chmodSync(folder, 0o755);
    for (const [name, value] of Object.entries(files[root.version])) {
      writeFileSync(path.join(folder, name), String(value));
    }
    return { folder, remove: () => rmdirSync(folder) };
  } catch {
    return null;
  }
}

/** Writes a filter for bubblewrap's --seccomp: io_uring_setup fails with EPERM, as Docker's own filter makes it. */
export function withoutIoUring(file: string): void {
  const [load, ifEqual, ret] = [0x20, 0x15, 0x06];
  const [ioUringSetup, allow, refuse] = [425, 0x7fff0000, 0x00050001];
  const program = [
    [load, 0, 0, 0],
    [ifEqual, 0, 1, ioUringSetup],
    [ret, 0, 0, refuse],
    [ret, 0, 0, allow],
  ] as const;
  const bytes = Buffer.alloc(8 * program.length);
  for (const [index, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(jumpTrue, 8 * index + 2);
    bytes.writeUInt8(jumpFalse, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  }
  writeFileSync(file, bytes);
}
