import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../../contract/errors.ts';
import { limitedVolumes } from './limited-volumes.ts';
import { socketNameBytes } from './daemon.ts';
import { installHint, installVolumePackages, missingPrograms, packagesToInstall } from './programs.ts';
import { blockDevices } from './mounts.ts';
import type { Volumes } from './volume.ts';

/** Value of the option `--volumes`. */
export type VolumesChoice = 'auto' | 'limited' | 'folders';

export interface ChooseVolumesOptions {
  /** Whether the experiment limits any volume, or gives WAL a volume of its own. */
  areLimited: boolean;
  /** Folder for the volumes: it exists and is empty. The path is absolute and has no symbolic links. */
  folder: string;
  /** Whether to install packages that are missing. Otherwise, what a run would install counts as there. @default true */
  mayInstall?: boolean;
  /** Receives a line of progress for the user. Packages are installed only after a line that says so. */
  say: (line: string) => void;
  signal: AbortSignal;
}

/**
 * Chooses volumes of limited IOPS if the choice is `limited`, or if it is `auto`, the experiment limits any, and this
 * machine can make them. As root on Debian and its derivatives, it first installs what they need. Otherwise it chooses
 * plain folders, whose caveat states the reason if the experiment limits any volume.
 *
 * @throws {UserError} for `limited` if that is not possible, with what is missing and how to get it
 */
export async function chooseVolumes(choice: VolumesChoice, options: ChooseVolumesOptions): Promise<Volumes> {
  const { folder, areLimited } = options;
  if (!areLimited && choice !== 'limited') return folderVolumes(folder, null);
  if (choice === 'folders') return folderVolumes(folder, 'as asked');
  const obstacle = await findObstacle(options);
  if (obstacle === null) return limitedVolumes(folder);
  if (choice === 'auto') return folderVolumes(folder, obstacle.reason);

  throw new UserError(
    `--volumes limited: ${obstacle.reason}. ${obstacle.remedy}, or use --volumes folders, which cannot show what a log volume does.`,
  );
}

/** Why limited volumes are not possible, as a phrase, and what to do about it, as a sentence without its full stop. */
export interface Obstacle {
  reason: string;
  remedy: string;
}

/**
 * Why limited volumes are not possible here; null if they are. As root on Debian and its derivatives, it first installs
 * what they need, if it may.
 */
export async function findObstacle({
  folder,
  mayInstall = true,
  say,
  signal,
}: Omit<ChooseVolumesOptions, 'areLimited'>): Promise<Obstacle | null> {
  if (process.platform !== 'linux') {
    return { reason: `limited IOPS need Linux; this is ${process.platform}`, remedy: 'Run it on a Linux machine' };
  }
  if (process.getuid?.() !== 0) {
    return { reason: 'limited IOPS need root, for loop devices and mounts', remedy: 'Run it as root' };
  }
  for (const device of ['/dev/loop-control', '/dev/fuse', blockDevices]) {
    if (!existsSync(device)) {
      return { reason: `there is no ${device}`, remedy: 'Run it outside the container, or add it to the container' };
    }
  }
  // Size of a socket's address, see unix(7).
  const roomBytes = 107 - socketNameBytes;
  if (Buffer.byteLength(folder) > roomBytes) {
    return { reason: `the path ${folder} is too long for sockets`, remedy: 'Set TMPDIR to a shorter path' };
  }
  const installFailure = mayInstall ? await attempt(() => installVolumePackages(say, signal), signal) : null;
  if (!mayInstall && packagesToInstall().length > 0) return null;
  const missing = missingPrograms();
  if (missing.length > 0) {
    const why = installFailure === null ? '' : ` (installing failed: ${installFailure})`;
    return { reason: `${missing.join(', ')} not found${why}`, remedy: installHint(missing) };
  }
  const failure = await attempt(() => tryOne(folder, signal), signal);
  return failure === null
    ? null
    : { reason: `this machine cannot create a limited volume: ${failure}`, remedy: 'Run it where mounting is allowed' };
}

/**
 * Makes one volume as a test. Containers forbid this in many different ways, so no other check would prove it. It takes
 * a fifth of a second.
 */
async function tryOne(folder: string, signal: AbortSignal): Promise<void> {
  const volumes = limitedVolumes(folder);
  try {
    await volumes.create({ name: 'trial', sizeGib: 1 / 16 }, signal);
  } finally {
    await volumes.remove();
    for (const name of readdirSync(folder)) rmSync(path.join(folder, name), { recursive: true });
  }
}

/** What went wrong, in one line; null if nothing did. Throws if the signal aborted. */
async function attempt(action: () => Promise<void>, signal: AbortSignal): Promise<string | null> {
  try {
    await action();
    return null;
  } catch (error) {
    signal.throwIfAborted();
    return String(error instanceof Error ? error.message : error).replaceAll(/\s*\n\s*/g, '; ');
  }
}

/**
 * Plain folders below `folder`: they have no limits, and share one disk. They are removed with the run's folder.
 *
 * @param why there are no limited volumes; null if nothing is to be limited
 */
function folderVolumes(folder: string, why: string | null): Volumes {
  return {
    kind: 'folders',
    caveat:
      why &&
      `Plain folders on one disk (${why}): data and WAL share it either way, so this run cannot show what a log volume does.`,
    create(request) {
      const volume = path.join(folder, request.name);
      mkdirSync(volume);
      // The servers' user must be able to reach its own folder below this one.
      chmodSync(volume, 0o711);
      return Promise.resolve({
        request,
        path: volume,
        limit: () => Promise.resolve(),
        verify: () => Promise.resolve(null),
        failed: new AbortController().signal,
        qmpSocket: null,
      });
    },
    remove: () => Promise.resolve(),
  };
}
