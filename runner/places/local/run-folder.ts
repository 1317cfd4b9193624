import { existsSync, mkdirSync, lstatSync, readdirSync, rmSync, statSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasCode, PartError, UserError } from '../../contract/errors.ts';
import { namesIn } from '../../files/look.ts';
import { readTextWhole } from '../../files/read.ts';
import { hasEnded, isRunning, type ProcessIdentity } from '../../process/identity.ts';
import { type Lock, takeLock } from '../../process/lock.ts';
import { notedIn } from '../../process/noted.ts';
import {
  makeOwnedFolder,
  ownedPrefix,
  type Owner,
  ownerFile,
  ownerSchema,
  temporaryFolder,
  unfinishedOwnerFile,
} from '../../process/owned-folder.ts';
import { runChecked } from '../../process/run-command.ts';
import { processesOf } from './processes.ts';
import { mountsIn } from './volumes/mounts.ts';
import { privateFolderIn } from './volumes/private-folder.ts';

/**
 * Folder in which one local run keeps its servers. It tells who made it, so that leftovers of a killed run can be
 * recognised. How it is made, found and removed stands in this one file, since all three must agree on what is ours.
 */
export interface RunFolder {
  path: string;
  /** Folder for the files of each server that are not on a volume. */
  servers: string;
  /** Folder for the volumes. */
  volumes: string;
  /** From now on, the folder stays after the end of its run. */
  keep(): void;
  /** Ends every process of the folder. */
  endProcesses(): Promise<void>;
  /** Ends every process of the folder and deletes it. */
  remove(): Promise<void>;
}

/** Lock of a kept folder that a run is using. */
export const inUseFile = 'in-use.lock';

/**
 * Removes what a folder of volumes has besides files, such as mounts and the processes behind them, before it is deleted.
 *
 * @throws {PartError} if something still uses them
 * @throws if the signal aborts
 */
export type ReleaseFolder = (folder: string, signal: AbortSignal) => Promise<void>;

/** The end of a run waits for its clean-up whatever interrupted it. */
const never = new AbortController().signal;

export function makeRunFolder(release: ReleaseFolder): RunFolder {
  const { path: folder, keep } = makeOwnedFolder();
  const inside = partsOf(folder);
  try {
    for (const passage of [folder, inside.servers, inside.volumes]) {
      mkdirSync(passage, { recursive: true, mode: 0o700 });
      // The servers may run as another user, who must be able to reach its own folders, whatever the umask.
      chmodSync(passage, 0o711);
    }
  } catch (error) {
    // There is no room for them.
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
  return {
    path: folder,
    ...inside,
    keep,
    endProcesses: () => endProcesses(folder, never),
    remove: () => removeFolder(folder, release, never),
  };
}

function partsOf(folder: string): Pick<RunFolder, 'servers' | 'volumes'> {
  return { servers: path.join(folder, 'servers'), volumes: path.join(folder, 'volumes') };
}

/** Ids of the processes that were started for a run and still run: its servers, and what serves their volumes. */
export function startedIn(folder: string): number[] {
  const { servers, volumes } = partsOf(folder);
  return [servers, privateFolderIn(volumes)].flatMap(notedIn).map(({ pid }) => pid);
}

/** What became of the folders of earlier runs. */
export interface CleanedUp {
  removed: string[];
  /** Kept clusters that a run uses. */
  inUse: string[];
  /** What could not be removed; after an interruption, all that had not been by then. */
  left: { folder: string; why: string }[];
}

/**
 * Removes what this user's earlier runs left when they were killed: processes, mounts and files. Folders of running runs
 * stay, and so do those of other containers. Folders that were kept on purpose stay, too, unless `also.kept` is set and no
 * run uses them. When the signal aborts, the rest is left.
 */
export async function removeLeftovers(
  release: ReleaseFolder,
  signal: AbortSignal,
  also: { kept?: boolean } = {},
): Promise<CleanedUp> {
  const cleaned: CleanedUp = { removed: [], inUse: [], left: [] };
  for (const folder of ownFolders()) {
    const isKept = readOwner(folder)?.kept === true;
    if (isKept ? also.kept !== true : !isLeftover(folder)) continue;
    // Only now: a run may have begun to use it while another folder was removed.
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

/** Keeps runs from a folder that was kept; null if one uses it already, or if it is being removed. */
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

/** A folder says whose it is at once when it is made. After so long, nobody is about to. */
const claimMs = 5 * 60_000;

/** Whether who made the folder was killed, or found no room, before it told whose it is. */
function wasNeverClaimed(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found || (found.mode & 0o777) !== 0o700 || Date.now() - found.mtimeMs < claimMs) return false;
  // An older pgduet left an empty file where there was no room.
  const isNothing = (name: string): boolean =>
    name === unfinishedOwnerFile || (name === ownerFile && lstatSync(path.join(folder, name)).size === 0);
  return namesIn(folder).every(isNothing);
}

/** Folders in the temporary directory that are named like ours and belong to this user. */
function ownFolders(): string[] {
  const root = temporaryFolder();
  // No folder of ours is a mount. One of another user's file system may say anything of itself, or nothing for ever.
  const mounted = new Set(process.platform === 'linux' ? mountsIn(root).map((mount) => mount.path) : []);
  return readdirSync(root)
    .filter((name) => name.startsWith(ownedPrefix))
    .map((name) => path.join(root, name))
    .filter((folder) => !mounted.has(folder) && isOwnFolder(folder));
}

function isOwnFolder(folder: string): boolean {
  try {
    const found = lstatSync(folder);
    // Ours are writable for us alone: in another, somebody else may have laid what it says of itself.
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
  } catch {
    // It is gone, or was mounted just now by somebody else: then not even root may look at it.
    return false;
  }
}

/** null for a folder that is not (or not yet) a run's. We never touch what may belong to somebody else. */
function readOwner(folder: string): Owner | null {
  try {
    const text = readTextWhole(path.join(folder, ownerFile), { most: mostOwnerBytes, links: 'refused' });
    return ownerSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** It is some 200 bytes. */
const mostOwnerBytes = 2 ** 16;

async function removeFolder(folder: string, release: ReleaseFolder, signal: AbortSignal): Promise<void> {
  await endProcesses(folder, signal);
  await release(partsOf(folder).volumes, signal);
  if (!existsSync(folder)) return;
  // What says whose it is goes last: otherwise nobody could finish a removal that is killed. And until then, its lock stays.
  const inside = readdirSync(folder).filter((name) => name !== ownerFile && name !== inUseFile);
  await removeTrees(
    inside.map((name) => path.join(folder, name)),
    signal,
  );
  await removeTrees([folder], signal);
}

/**
 * Deletes by rm, which follows no symbolic link even if a process of the servers' user puts one in the place of a folder in
 * that moment. The functions of Node.js would go on behind it.
 */
async function removeTrees(trees: readonly string[], signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await runChecked(['rm', '-rf', '--', ...trees], { signal });
      return;
    } catch (error) {
      // A process that was just killed can still hold a folder, or put a file into it.
      if (attempt === 5 || signal.aborted) throw error;
      await sleep(attempt * 100);
    }
  }
}

/**
 * Ends the processes of a folder. SIGQUIT is PostgreSQL's immediate shutdown, which frees its shared memory. SIGKILL ends
 * everything that is left, and what that starts meanwhile.
 */
async function endProcesses(folder: string, signal: AbortSignal): Promise<void> {
  const running = (): ProcessIdentity[] => processesOf(folder, partsOf(folder).servers);
  for (const [how, seconds] of [
    ['SIGQUIT', 5],
    ['SIGKILL', 5],
  ] as const) {
    const end = Date.now() + seconds * 1000;
    for (let left = running(); left.length > 0 && Date.now() < end; left = running()) {
      for (const one of left) kill(one, how);
      await sleep(50, undefined, { signal });
    }
  }
}

function kill(one: ProcessIdentity, how: NodeJS.Signals): void {
  try {
    if (isRunning(one)) process.kill(one.pid, how);
  } catch {
    // The process ended by itself in the meantime.
  }
}
