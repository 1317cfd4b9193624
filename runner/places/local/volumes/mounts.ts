import { readFileSync } from 'node:fs';
import { PartError } from '../../../contract/errors.ts';
import { namesIn } from '../../../files/look.ts';
import { type Mount, parseMountInfo } from '../../../machine/mount-info.ts';

/** Mounts at `folder` or below it, innermost first. */
export function mountsIn(folder: string): Mount[] {
  return parseMountInfo(readFileSync('/proc/self/mountinfo', 'utf8'))
    .filter((mount) => mount.path === folder || mount.path.startsWith(`${folder}/`))
    .reverse();
}

/** Where the kernel shows block devices. */
export const blockDevices = '/sys/block';

/** Loop devices that still use a file below `folder`; none where /sys shows no devices: limited volumes are then refused. */
export function loopDevicesIn(folder: string): string[] {
  return namesIn(blockDevices)
    .filter((name) => name.startsWith('loop'))
    .filter((name) => readBackingFile(name).startsWith(`${folder}/`))
    .map((name) => `/dev/${name}`);
}

/**
 * The file of a loop device. " (deleted)" follows the path of a deleted file. A device without a file has no such
 * entry.
 */
function readBackingFile(name: string): string {
  try {
    return readFileSync(`${blockDevices}/${name}/loop/backing_file`, 'utf8').trimEnd();
  } catch {
    return '';
  }
}

/**
 * Waits for work on the files of a volume until it is done or the signal aborts. On a volume that hangs, a system call
 * does not return before the volume is gone, but the process that waits for it must still react to Ctrl-C. For the same
 * reason, such work must never be one of Node's synchronous calls.
 *
 * @throws what the work throws; the signal's reason if it aborted
 */
export async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const done = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    const options = { once: true, signal: done.signal };
    signal.addEventListener('abort', () => reject(signal.reason as Error), options);
    if (signal.aborted) reject(signal.reason as Error);
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    done.abort();
  }
}

/**
 * Waits for work on the files of a volume with a device of its own, as `abortable` does. When its daemon has died, the
 * kernel answers with one of many codes: EIO, EROFS after ext4 gave up, EUCLEAN for a folder that it could not read.
 *
 * @param volume its name
 * @throws {PartError} if the system refused the work: nothing else has this device, so the volume is broken
 */
export async function onVolume<T>(volume: string, work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await abortable(work, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new PartError(`The volume ${volume} broke: ${error.message}`, { failure: 'volume-failed', cause: error });
  }
}
