import { closeSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import { PartError } from '../../../contract/errors.ts';
import { trackedSuffix } from '../../../process/tracked-process.ts';
import { runChecked } from '../../../process/run-command.ts';
import { type Daemon, exposeAsFile, monitorFiles, mountAsFileSystem, privateFolderIn } from './daemon.ts';
import { measureVolume } from './measure-volume.ts';
import { toolEnvironment } from './programs.ts';
import { releaseVolumes } from './release-volumes.ts';
import { isLimited, noLimits, setLimits, startStorageDaemon, throttleLimits } from './storage-daemon.ts';
import { onVolume, abortable } from './mounts.ts';
import type { Volume, VolumeRequest, Volumes } from './volume.ts';

/** Paths of a volume's files. All are in the run's folder, so that a clean-up knows that they are ours. */
function filesOf(folder: string, name: string, number: number) {
  const inside = privateFolderIn(folder);
  return {
    image: path.join(inside, `${name}.img`),
    exposed: path.join(inside, `${name}.vol`),
    log: path.join(inside, `${name}.log`),
    mountPoint: path.join(folder, name),
    nbdSocket: path.join(inside, `${number}.nbd`),
    nbdNote: path.join(inside, `${number}.nbd${trackedSuffix}`),
    ...monitorFiles(folder, String(number)),
  };
}

/**
 * Volumes below `folder` with limited IOPS and throughput. Each is an image file that a storage daemon serves through
 * QEMU's throttle. nbdfuse turns it into a file again, which is mounted through a loop device. Each volume has its own
 * daemon, so that volumes share no thread and do not fail together.
 */
export function limitedVolumes(folder: string): Volumes {
  let made = 0;
  return {
    kind: 'limited',
    caveat:
      'IOPS-limited volumes on one machine: on RDS, the effect of a log volume may differ in cause, size and direction.',
    async create(request, signal) {
      made += 1;
      const files = filesOf(folder, request.name, made);
      mkdirSync(privateFolderIn(folder), { recursive: true, mode: 0o700 });
      mkdirSync(files.mountPoint);
      makeSparseFile(files.image, Math.round(request.sizeGib * 2 ** 30));
      const storage = await startStorageDaemon({ ...files, note: files.qmpNote }, signal);
      const exposed = await exposeAsFile(
        files.nbdSocket,
        files.exposed,
        { log: files.log, note: files.nbdNote },
        signal,
      );
      const device = await mountAsFileSystem(files.exposed, files.mountPoint, signal);
      await onVolume(request.name, rmdir(path.join(files.mountPoint, 'lost+found')), signal);

      const failed = failureOf(request, [storage, exposed]);
      let limited = false;
      const limit = async (on: boolean): Promise<void> => {
        failed.throwIfAborted();
        if (!isLimited(request)) return;
        if (on) await writeBack(files.mountPoint, failed);
        await setLimits(files.qmpSocket, on ? throttleLimits(request) : noLimits);
        limited = on;
      };
      return {
        request,
        path: files.mountPoint,
        limit,
        async verify(verifySignal) {
          if (!isLimited(request)) return null;
          const before = limited;
          const folder = files.mountPoint;
          const check = await measureVolume({ request, device, folder, limit, signal: verifySignal });
          await limit(before);
          return check;
        },
        failed,
        qmpSocket: files.qmpSocket,
      };
    },
    remove: () => releaseVolumes(folder),
  };
}

/**
 * A volume of an earlier run that was kept. Its limits were verified then.
 *
 * @param qmpSocket null for a plain folder
 */
export function reopenVolume(request: VolumeRequest, qmpSocket: string | null, folder: string): Volume {
  // The daemon is not our child process, so we get no event when it ends. But its server ends a moment later, and we
  // notice that.
  const failed = new AbortController().signal;
  return {
    request,
    path: folder,
    async limit(on) {
      if (qmpSocket === null || !isLimited(request)) return;
      if (on) await writeBack(folder, failed);
      await setLimits(qmpSocket, on ? throttleLimits(request) : noLimits);
    },
    verify: () => Promise.resolve(null),
    failed,
    qmpSocket,
  };
}

/**
 * Writes out what was changed on a volume while it had no limits. Otherwise the kernel would do so half a minute later.
 * In one trial, such writes of initdb were a fifth of all bytes.
 */
async function writeBack(mountPoint: string, signal: AbortSignal): Promise<void> {
  const written = runChecked(['sync', '--file-system', mountPoint], {
    signal,
    environment: toolEnvironment(),
  });
  await abortable(written, signal);
}

function makeSparseFile(file: string, sizeBytes: number): void {
  const image = openSync(file, 'wx', 0o600);
  ftruncateSync(image, sizeBytes);
  closeSync(image);
}

function failureOf(request: VolumeRequest, daemons: readonly Daemon[]): AbortSignal {
  const failed = new AbortController();
  for (const { ended } of daemons) {
    ended.addEventListener('abort', () => {
      failed.abort(
        new PartError(`The volume ${request.name} broke: ${(ended.reason as Error).message}`, 'volume-failed'),
      );
    });
  }
  return failed.signal;
}
