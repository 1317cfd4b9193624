import { constants, openSync, closeSync } from 'node:fs';
import { PartError } from '../../../contract/errors.ts';
import { type Daemon, type DaemonFiles, startDaemon, waitForDaemon } from './daemon.ts';
import { executeQmp } from './qmp.ts';
import { noLimits, type ThrottleLimits } from './throttle.ts';

export interface StorageDaemonFiles extends DaemonFiles {
  /** Image file with the volume's blocks. */
  image: string;
  nbdSocket: string;
  qmpSocket: string;
}

/** Serves the image as a network block device on a unix socket, through a throttle that does not limit yet. */
export async function startStorageDaemon(files: StorageDaemonFiles, signal: AbortSignal): Promise<Daemon> {
  const direct = opensDirect(files.image);
  const daemon = startDaemon(
    [
      'qemu-storage-daemon',
      '--object',
      JSON.stringify({ 'qom-type': 'throttle-group', id: 'limits', limits: noLimits }),
      '--blockdev',
      JSON.stringify({
        driver: 'file',
        'node-name': 'image',
        filename: files.image,
        cache: { direct },
        aio: direct ? 'native' : 'threads',
      }),
      '--blockdev',
      JSON.stringify({ driver: 'throttle', 'node-name': 'volume', 'throttle-group': 'limits', file: 'image' }),
      '--nbd-server',
      JSON.stringify({ addr: { type: 'unix', path: files.nbdSocket }, 'max-connections': 100 }),
      '--export',
      JSON.stringify({ type: 'nbd', id: 'export', 'node-name': 'volume', name: '', writable: true }),
      // This comes last: when this socket answers, everything above is ready.
      '--chardev',
      // A comma in a value is written twice.
      `socket,id=qmp,path=${files.qmpSocket.replaceAll(',', ',,')},server=on,wait=off`,
      '--monitor',
      'chardev=qmp',
    ],
    files,
  );
  await waitForDaemon(daemon, `the monitor of ${files.image}`, () => answers(files.qmpSocket), signal);
  return daemon;
}

/** Changes the limits of a running daemon. I/O in progress is not lost. */
export async function setLimits(qmpSocket: string, limits: ThrottleLimits): Promise<void> {
  try {
    await executeQmp(qmpSocket, 'qom-set', { path: '/objects/limits', property: 'limits', value: limits });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PartError(`The limits of a volume could not be set, because its storage daemon does not answer: ${why}`, {
      cause: error,
    });
  }
}

async function answers(qmpSocket: string): Promise<boolean> {
  try {
    await executeQmp(qmpSocket, 'query-version');
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether the file can be opened for direct I/O. Not every file system allows it: tmpfs before Linux 6.6 refuses. There is
 * no harm: with files in memory, there is no cache to bypass.
 */
function opensDirect(file: string): boolean {
  try {
    closeSync(openSync(file, constants.O_RDWR | constants.O_DIRECT));
    return true;
  } catch {
    return false;
  }
}
