import {
  existsSync,
  mkdirSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  chmodSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { hasEnded } from '../../process/identity.ts';
import { liveHolder } from '../../process/lock.ts';
import { makeOwnedFolder, ownedPrefix, type Owner, ownerFile, ownerSchema } from '../../process/owned-folder.ts';
import { demandCommand } from '../../process/run-command.ts';
import { postgresProcessesIn } from './processes.ts';

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

/** Removes what a folder has besides processes and files, such as mounts, before the folder is deleted. */
export type ReleaseFolder = (folder: string) => Promise<void>;

export function makeRunFolder(release: ReleaseFolder): RunFolder {
  const { path: folder, keep } = makeOwnedFolder();
  const inside = { servers: path.join(folder, 'servers'), volumes: path.join(folder, 'volumes') };
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
  if (owner.kept) return alsoKept && liveHolder(path.join(folder, inUseFile)) === null;
  return hasEnded(owner.process);
}

/** Folders in the temporary directory that are named like ours and belong to this user. */
function ownFolders(): string[] {
  const root = realpathSync(tmpdir());
  return readdirSync(root)
    .filter((name) => name.startsWith(ownedPrefix))
    .map((name) => path.join(root, name))
    .filter((folder) => {
      const stat = lstatSync(folder, { throwIfNoEntry: false });
      return stat?.isDirectory() === true && stat.uid === process.getuid?.();
    });
}

/** null for a folder that is not (or not yet) a run's. We never touch what may belong to somebody else. */
function readOwner(folder: string): Owner | null {
  try {
    return ownerSchema.parse(JSON.parse(readFileSync(path.join(folder, ownerFile), 'utf8')));
  } catch {
    return null;
  }
}

async function removeFolder(folder: string, release: ReleaseFolder): Promise<void> {
  await endProcesses(folder);
  await release(folder);
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
    for (const pid of postgresProcessesIn(folder)) kill(pid, signal);
    while (postgresProcessesIn(folder).length > 0 && Date.now() < end) {
      await sleep(50);
    }
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process ended by itself in the meantime.
  }
}
