import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { identityOf, trackedProcessesIn, type ProcessIdentity } from '../../process/tracked-process.ts';
import { serverUser } from '../../process/rights.ts';

const onLinux = existsSync('/proc/self/stat');

/**
 * A run's processes: its servers, by the notes written at their start, and on Linux all other processes of the servers'
 * user that use the run's folder. A process that a server starts, such as its `archive_command`, may outlive the server
 * and keep a volume in use.
 *
 * @param folder of the run
 * @param notes folder with the notes of its servers
 */
export function processesOf(folder: string, notes: string): ProcessIdentity[] {
  return [...trackedProcessesIn(notes), ...serverUserProcesses(folder)];
}

/** Processes of the servers' user that use a folder: servers, and what they have started. */
export function serverUserProcesses(folder: string): ProcessIdentity[] {
  const { uid } = serverUser();
  return processesAt(folder, (one) => one.uid === uid);
}

/** What the kernel reports about a process. */
interface ProcessStatus {
  name: string;
  parent: number;
  /** The user who started it, even if the program belongs to another user (setuid). */
  uid: number;
}

/** Processes that keep a folder, or a volume that is mounted there, in use. They need not belong to the run. */
export function processesUsing(folder: string): ProcessIdentity[] {
  return processesAt(folder, () => true);
}

/**
 * Relies on what the kernel reports, because a process can change its own command line. Leaves out this process and its
 * ancestors, such as a shell in that folder.
 */
function processesAt(folder: string, wanted: (status: ProcessStatus) => boolean): ProcessIdentity[] {
  if (!onLinux) return [];
  const own = ancestry();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => !own.includes(pid))
    .flatMap((pid) => {
      const status = statusOf(pid);
      if (status === null || !wanted(status)) return [];
      const identity = identityOf(pid);
      return openPlacesOf(pid).some((place) => `${place}/`.startsWith(`${folder}/`)) ? [identity] : [];
    });
}

/** The id and name of a process, for messages. The process itself chooses the name. */
export function describeProcess({ pid }: ProcessIdentity): string {
  return `${pid} (${statusOf(pid)?.name ?? 'ended'})`;
}

/** This process, the one that started it, and so on. */
function ancestry(): number[] {
  const pids: number[] = [];
  for (let pid = process.pid; pid > 0; pid = statusOf(pid)?.parent ?? 0) pids.push(pid);
  return pids;
}

/** @see proc_pid_status(5); null if the process has ended, or may not be seen */
function statusOf(pid: number): ProcessStatus | null {
  const text = unlessGone(() => readFileSync(`/proc/${pid}/status`, 'utf8'), '');
  const [, name, parent, uid] = /^Name:\t(.*)$[^]*^PPid:\t(\d+)$[^]*^Uid:\t(\d+)/m.exec(text) ?? [];
  return name === undefined ? null : { name, parent: Number(parent), uid: Number(uid) };
}

/** Paths of what a process has in use: its working folder, root, program and open files. */
function openPlacesOf(pid: number): string[] {
  const proc = `/proc/${pid}`;
  const opened = unlessGone(() => readdirSync(`${proc}/fd`), []).map((descriptor) => `fd/${descriptor}`);
  return ['cwd', 'root', 'exe', ...opened].map((name) => linkOf(`${proc}/${name}`));
}

function linkOf(file: string): string {
  return unlessGone(() => readlinkSync(file), '').replace(/ \(deleted\)$/, '');
}

/** What the kernel reports; `otherwise` if the process has ended in the meantime, or we may not read it. */
function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
