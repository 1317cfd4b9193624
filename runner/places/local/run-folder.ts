import { existsSync, mkdirSync, lstatSync, readdirSync, rmSync, statSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { hasCode, PartError, UserError } from '../../contract/errors.ts';
import { namesIn } from '../../files/look.ts';
import { readTextWhole } from '../../files/read.ts';
import {
  hasEnded,
  isRunning,
  trackedProcessesIn,
  type ProcessIdentity,
  requireProcesses,
} from '../../process/tracked-process.ts';
import { temporaryFolder } from '../../files/open-folder.ts';
import { type Lock, takeLock } from '../../process/lock.ts';
import {
  makeOwnedFolder,
  ownedPrefix,
  type Owner,
  ownerFile,
  ownerSchema,
  unfinishedOwnerFile,
} from '../../process/owned-folder.ts';
import { removeTrees } from '../../process/remove-trees.ts';
import { waitUntil } from '../../process/wait-until.ts';
import { processesOf } from './processes.ts';
import { mountsIn } from './volumes/mounts.ts';
import { privateFolderIn } from './volumes/daemon.ts';

/**
 * Folder in which one local run keeps its servers. A file in it names the process that made it, so that leftovers of a
 * killed run can be recognised. Making, finding and removing it are in this one file, since all three must agree on
 * what is ours.
 */
export interface RunFolder {
  path: string;
  /** Folder for the files of each server that are not on a volume. */
  servers: string;
  /** Folder for the volumes. */
  volumes: string;
  /** Makes the folder stay after the end of its run. */
  keep(): void;
  /** Ends every process of the folder and deletes it. */
  remove(): Promise<void>;
}

/** Lock of a kept folder that a run is using. */
export const inUseFile = 'in-use.lock';

/**
 * Removes what a folder of volumes has besides files, such as mounts and their processes, before the folder is deleted.
 *
 * @throws {PartError} if something remains. The folder is deleted all the same
 * @throws if the signal aborts
 */
export type ReleaseFolder = (folder: string, signal: AbortSignal) => Promise<void>;

/** At the end of a run, nothing interrupts the clean-up. */
const never = new AbortController().signal;

export function makeRunFolder(release: ReleaseFolder): RunFolder {
  const { path: folder, keep } = makeOwnedFolder();
  const inside = partsOf(folder);
  try {
    for (const passage of [folder, inside.servers, inside.volumes]) {
      mkdirSync(passage, { recursive: true, mode: 0o700 });
      // The servers may run as another user, who must be able to reach their folders, whatever the umask.
      chmodSync(passage, 0o711);
    }
  } catch (error) {
    // For example, the disk is full.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    path: folder,
    ...inside,
    keep,
    remove: () => removeFolder(folder, release, never),
  };
}

function partsOf(folder: string): Pick<RunFolder, 'servers' | 'volumes'> {
  return { servers: path.join(folder, 'servers'), volumes: path.join(folder, 'volumes') };
}

/** Ids of the processes that were started for a run and still run: its servers, and the daemons of their volumes. */
export function startedIn(folder: string): number[] {
  const { servers, volumes } = partsOf(folder);
  return [servers, privateFolderIn(volumes)].flatMap(trackedProcessesIn).map(({ pid }) => pid);
}

/** What became of the folders of earlier runs. */
export interface CleanedUp {
  removed: string[];
  /** Kept clusters that a run uses. */
  inUse: string[];
  /** What could not be removed; after an interruption, everything that was still left. */
  left: { folder: string; why: string }[];
}

/**
 * Removes what killed runs of this user left: processes, mounts and files. Folders of running runs and of other
 * containers stay. Folders that were kept on purpose stay, too, unless `also.kept` is set and no run uses them. When
 * the signal aborts, the rest stays.
 */
export async function removeLeftovers(
  release: ReleaseFolder,
  signal: AbortSignal,
  also: { kept?: boolean } = {},
): Promise<CleanedUp> {
  requireProcesses();
  const cleaned: CleanedUp = { removed: [], inUse: [], left: [] };
  for (const folder of ownFolders()) {
    const isKept = readOwner(folder)?.kept === true;
    if (isKept ? also.kept !== true : !isLeftover(folder)) continue;
    // Not earlier: a run may have begun to use this folder while another one was being removed.
    const lock = isKept ? lockKept(folder) : null;
    if (isKept && lock === null) {
      cleaned.inUse.push(folder);
      continue;
    }
    try {
      signal.throwIfAborted();
      await removeFolder(folder, release, signal);
      cleaned.removed.push(folder);
    } catch (error) {
      if (!signal.aborted && !(error instanceof PartError)) throw error;
      cleaned.left.push({ folder, why: signal.aborted ? 'interrupted' : (error as PartError).message });
    } finally {
      lock?.release();
    }
  }
  return cleaned;
}

/** Locks a kept folder against runs; null if a run uses it already, or if it is being removed. */
function lockKept(folder: string): Lock | null {
  try {
    return takeLock(path.join(folder, inUseFile), folder);
  } catch (error) {
    if (error instanceof UserError || hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Folders of this user that were kept on purpose, newest first. */
export function keptFolders(): string[] {
  return ownFolders()
    .filter((folder) => readOwner(folder)?.kept === true)
    .sort((a, b) => statSync(b).ctimeMs - statSync(a).ctimeMs);
}

function isLeftover(folder: string): boolean {
  const owner = readOwner(folder);
  return owner === null ? wasNeverClaimed(folder) : hasEnded(owner.process);
}

/** A process names itself in a folder as soon as it has made it. After this time, no process will do so any more. */
const claimMs = 5 * 60_000;

/** Whether the process that made the folder was killed, or found the disk full, before it named itself there. */
function wasNeverClaimed(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found || (found.mode & 0o777) !== 0o700 || Date.now() - found.mtimeMs < claimMs) return false;
  // If the disk was full, an older pgduet left an empty file.
  const isNothing = (name: string): boolean =>
    name === unfinishedOwnerFile || (name === ownerFile && lstatSync(path.join(folder, name)).size === 0);
  return namesIn(folder).every(isNothing);
}

/** Folders in the temporary directory that are named like ours and belong to this user. */
function ownFolders(): string[] {
  const root = temporaryFolder();
  // No folder of ours is a mount point. Another user's file system may report false owners, or never answer.
  const mounted = new Set(process.platform === 'linux' ? mountsIn(root).map((mount) => mount.path) : []);
  return readdirSync(root)
    .filter((name) => name.startsWith(ownedPrefix))
    .map((name) => path.join(root, name))
    .filter((folder) => !mounted.has(folder) && isOwnFolder(folder));
}

function isOwnFolder(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    // Ours are writable for us alone: otherwise, another user may have put the owner file there.
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  } catch {
    // The folder is gone, or another user has just mounted something there, which not even root may read.
    return false;
  }
}

/** null if the folder is not (or not yet) that of a run. We never touch what may belong to somebody else. */
function readOwner(folder: string): Owner | null {
  try {
    const text = readTextWhole(path.join(folder, ownerFile), { max: maxOwnerBytes, links: 'refused' });
    return ownerSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** The file has about 200 bytes. */
const maxOwnerBytes = 2 ** 16;

async function removeFolder(folder: string, release: ReleaseFolder, signal: AbortSignal): Promise<void> {
  await endProcesses(folder, signal);
  try {
    await release(partsOf(folder).volumes, signal);
  } finally {
    await deleteFolder(folder, signal);
  }
}

async function deleteFolder(folder: string, signal: AbortSignal): Promise<void> {
  if (!existsSync(folder)) return;
  // The owner file goes last: without it, a later start could not finish this removal if it is killed. The lock stays
  // as long.
  const inside = readdirSync(folder).filter((name) => name !== ownerFile && name !== inUseFile);
  await removeTrees(
    inside.map((name) => path.join(folder, name)),
    signal,
  );
  await removeTrees([folder], signal);
}

/**
 * Ends the processes of a folder. SIGQUIT is PostgreSQL's immediate shutdown, which frees its shared memory. SIGKILL
 * then ends the remaining processes, and those that they have started in the meantime.
 */
async function endProcesses(folder: string, signal: AbortSignal): Promise<void> {
  const running = (): ProcessIdentity[] => processesOf(folder, partsOf(folder).servers);
  for (const how of ['SIGQUIT', 'SIGKILL'] as const) {
    const endAll = (): boolean => {
      const left = running();
      for (const one of left) kill(one, how);
      return left.length === 0;
    };
    await waitUntil(endAll, { seconds: 5, signal });
  }
}

function kill(one: ProcessIdentity, how: NodeJS.Signals): void {
  try {
    if (isRunning(one)) process.kill(one.pid, how);
  } catch {
    // The process ended by itself in the meantime.
  }
}
