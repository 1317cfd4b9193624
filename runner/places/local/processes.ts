import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { identityOf, type ProcessIdentity } from '../../process/identity.ts';
import { notedIn } from '../../process/noted.ts';
import { serverUser } from './server-user.ts';
import { parseMountInfo } from './volumes/mounts.ts';

const onLinux = existsSync('/proc/self/stat');

/**
 * A run's processes: its servers, by the notes of their starts, and on Linux whatever else of the servers' user is at work in
 * the run's folder. What a server starts, such as its `archive_command`, may outlive it, and would keep a volume in use.
 *
 * @param folder of the run
 * @param notes folder with the notes of its servers
 */
export function processesOf(folder: string, notes: string): ProcessIdentity[] {
  return [...notedIn(notes), ...ofServersUser(folder)];
}

/** Processes of the servers' user that are at work in a folder: servers, and what they have started. */
export function ofServersUser(folder: string): ProcessIdentity[] {
  const { uid } = serverUser();
  return processesAt(folder, openPlacesOf, (one) => one.uid === uid);
}

/** What the kernel says of a process. */
interface ProcessStatus {
  name: string;
  parent: number;
  /** Of the user who started it, also where it is a program of another one (setuid). */
  uid: number;
}

/**
 * Processes that keep a folder, or a volume that is mounted there, in use. That says nothing of whose they are: a service that
 * starts during a run gets what is mounted by then, in a mount namespace of its own, and is no process of the run.
 */
export function processesUsing(folder: string): ProcessIdentity[] {
  return processesAt(
    folder,
    (pid) => [...openPlacesOf(pid), ...ownMountsOf(pid)],
    () => true,
  );
}

/**
 * By what the kernel says, since what a command line says is up to the process. Not this one, nor those that it was started by,
 * such as a shell in that folder.
 */
function processesAt(
  folder: string,
  placesOf: (pid: number) => string[],
  wanted: (status: ProcessStatus) => boolean,
): ProcessIdentity[] {
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
      return placesOf(pid).some((place) => `${place}/`.startsWith(`${folder}/`)) ? [identity] : [];
    });
}

/** The name of a process for people; it may be anything, since the process chooses it. */
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

/** If a process has a mount namespace of its own, what is mounted there: a volume that is unmounted here may stay mounted there. */
function ownMountsOf(pid: number): string[] {
  const proc = `/proc/${pid}`;
  if (linkOf(`${proc}/ns/mnt`) === linkOf('/proc/self/ns/mnt')) return [];
  return parseMountInfo(unlessGone(() => readFileSync(`${proc}/mountinfo`, 'utf8'), '')).map((mount) => mount.path);
}

function linkOf(file: string): string {
  return unlessGone(() => readlinkSync(file), '').replace(/ \(deleted\)$/, '');
}

/** What the kernel says; `otherwise` if the process ended in the meantime, or we may not look at it. */
function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
