import { existsSync, mkdirSync, lstatSync, readdirSync, statSync, chmodSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readTextWhole } from '../../files/read.ts';
import { hasEnded } from '../../process/identity.ts';
import { liveHolder } from '../../process/lock.ts';
import { notedIn } from '../../process/noted.ts';
import {
  makeOwnedFolder,
  ownedPrefix,
  type Owner,
  ownerFile,
  ownerSchema,
  temporaryFolder,
} from '../../process/owned-folder.ts';
import { demandCommand } from '../../process/run-command.ts';
import { postgresProcessesOf } from './processes.ts';
import { mountsIn } from './volumes/mounts.ts';
import { privateFolderIn } from './volumes/private-folder.ts';

/**
 * Folder in which one local run keeps its servers. It tells who made it, so that leftovers of a killed run can be
 * recognised.
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

/** Removes what a folder of volumes has besides files, such as mounts and the processes behind them, before it is deleted. */
export type ReleaseFolder = (folder: string) => Promise<void>;

export function makeRunFolder(release: ReleaseFolder): RunFolder {
  const { path: folder, keep } = makeOwnedFolder();
  const inside = partsOf(folder);
  for (const passage of [folder, inside.servers, inside.volumes]) {
    mkdirSync(passage, { recursive: true, mode: 0o700 });
    // The servers may run as another user, who must be able to reach its own folders, whatever the umask.
    chmodSync(passage, 0o711);
  }
  return {
    path: folder,
    ...inside,
    keep,
    endProcesses: () => endProcesses(folder),
    remove: () => removeFolder(folder, release),
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

/**
 * Removes what this user's earlier runs left when they were killed: processes, mounts and files. Folders of running runs
 * stay, and so do those of other containers. Folders that were kept on purpose stay, too, unless `also.kept` is set and no
 * run uses them.
 *
 * @returns the folders that were removed
 */
export async function removeLeftovers(release: ReleaseFolder, also: { kept?: boolean } = {}): Promise<string[]> {
  const left = ownFolders().filter((folder) => isLeftover(folder, also.kept ?? false));
  for (const folder of left) await removeFolder(folder, release);
  return left;
}

/** Folders of this user that were kept on purpose, newest first. */
export function keptFolders(): string[] {
  return ownFolders()
    .filter((folder) => readOwner(folder)?.kept === true)
    .sort((a, b) => statSync(b).ctimeMs - statSync(a).ctimeMs);
}

function isLeftover(folder: string, alsoKept: boolean): boolean {
  const owner = readOwner(folder);
  if (owner === null) return false;
  if (owner.kept) return alsoKept && liveHolder(path.join(folder, inUseFile), folder) === null;
  return hasEnded(owner.process);
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

async function removeFolder(folder: string, release: ReleaseFolder): Promise<void> {
  await endProcesses(folder);
  await release(partsOf(folder).volumes);
  if (!existsSync(folder)) return;
  // What says whose it is goes last: otherwise nobody could finish a removal that is killed.
  const inside = readdirSync(folder).filter((name) => name !== ownerFile);
  await removeTrees(inside.map((name) => path.join(folder, name)));
  await removeTrees([folder]);
}

/**
 * Deletes by rm, which follows no symbolic link even if a process of the servers' user puts one in the place of a folder in
 * that moment. The functions of Node.js would go on behind it.
 */
async function removeTrees(trees: readonly string[]): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await demandCommand(['rm', '-rf', '--', ...trees]);
      return;
    } catch (error) {
      // A process that was just killed can still hold a folder, or put a file into it.
      if (attempt === 5) throw error;
      await sleep(attempt * 100);
    }
  }
}

/**
 * Ends the processes of a folder. SIGQUIT is PostgreSQL's immediate shutdown, which frees its shared memory. SIGKILL ends
 * everything that is left.
 */
async function endProcesses(folder: string): Promise<void> {
  for (const [signal, seconds] of [
    ['SIGQUIT', 5],
    ['SIGKILL', 5],
  ] as const) {
    const end = Date.now() + seconds * 1000;
    const running = (): number[] => postgresProcessesOf(folder, partsOf(folder).servers);
    for (const pid of running()) kill(pid, signal);
    while (running().length > 0 && Date.now() < end) await sleep(50);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended by itself in the meantime.
  }
}
