import {
  mkdirSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
  chmodSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { postgresProcessesIn, processStart } from './processes.ts';

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
  /** Ends every process of the folder and deletes it. */
  remove(): Promise<void>;
}

interface Owner {
  kind: 'pgduet-run-folder';
  pid: number;
  /** Start of the process. Process ids are used again: the start tells two processes with the same id apart. */
  start: string | null;
  kept: boolean;
}

const prefix = 'pgduet-';
const ownerFile = 'owner.json';

/** Removes what a folder has besides processes and files, such as mounts, before the folder is deleted. */
export type ReleaseFolder = (folder: string) => Promise<void>;

export function makeRunFolder(release: ReleaseFolder): RunFolder {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), prefix)));
  const inside = { servers: path.join(folder, 'servers'), volumes: path.join(folder, 'volumes') };
  for (const passage of [folder, inside.servers, inside.volumes]) {
    mkdirSync(passage, { recursive: true });
    // The servers may run as another user, who must be able to reach its own folders, whatever the umask.
    chmodSync(passage, 0o711);
  }
  const owner: Owner = { kind: 'pgduet-run-folder', pid: process.pid, start: processStart(process.pid), kept: false };
  const save = (): void => writeFileSync(path.join(folder, ownerFile), JSON.stringify(owner), { mode: 0o600 });
  save();
  return {
    path: folder,
    ...inside,
    keep() {
      owner.kept = true;
      save();
    },
    remove: () => removeFolder(folder, release),
  };
}

/**
 * Removes what this user's earlier runs left when they were killed: processes, mounts and files. Folders of running runs
 * stay. Folders that were kept on purpose stay, too, unless `also.kept` is set.
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
  if (owner.kept) return alsoKept;
  const start = processStart(owner.pid);
  return start === null || start !== owner.start;
}

/** Folders in the temporary directory that are named like ours and belong to this user. */
function ownFolders(): string[] {
  const root = realpathSync(tmpdir());
  return readdirSync(root)
    .filter((name) => name.startsWith(prefix))
    .map((name) => path.join(root, name))
    .filter((folder) => {
      const stat = lstatSync(folder, { throwIfNoEntry: false });
      return stat?.isDirectory() === true && stat.uid === process.getuid?.();
    });
}

/** null for a folder that is not (or not yet) a run's. We never touch what may belong to somebody else. */
function readOwner(folder: string): Owner | null {
  try {
    const owner = JSON.parse(readFileSync(path.join(folder, ownerFile), 'utf8')) as Partial<Owner>;
    const { kind, pid, start = null, kept } = owner;
    if (kind !== 'pgduet-run-folder' || typeof pid !== 'number' || typeof kept !== 'boolean') return null;
    return { kind, pid, start, kept };
  } catch {
    return null;
  }
}

async function removeFolder(folder: string, release: ReleaseFolder): Promise<void> {
  await endProcesses(folder);
  await release(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
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
      await new Promise((resolve) => setTimeout(resolve, 50));
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
