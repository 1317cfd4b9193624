import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { trackedSuffix } from '../../../runner/process/tracked-process.ts';
import {
  exposeAsFile,
  mountAsFileSystem,
  privateFolderIn,
  startDaemon,
  waitForDaemon,
} from '../../../runner/places/local/volumes/daemon.ts';
import { releaseVolumes } from '../../../runner/places/local/volumes/release-volumes.ts';
import { WriteLog } from './write-log.ts';

export const diskBytes = 128 * 2 ** 20;

/** An ext4 disk that records each write and each flush that reaches it, as limited volumes are made here, with no limit. */
export interface RecordedDisk {
  mountPoint: string;
  log: WriteLog;
  /** Unmounts it, and ends what served it. The log stays. */
  close(): Promise<void>;
}

/**
 * There is no device mapper on every kernel (dm-log-writes), and a copy of the file behind a loop device is of no one
 * moment. QEMU's `blklogwrites` records what dm-log-writes would: from that, any moment can be made afterwards.
 *
 * @param folder does not exist yet; its path is short, since it is part of names of sockets
 */
export async function openRecordedDisk(folder: string): Promise<RecordedDisk> {
  const until = new AbortController().signal;
  const inside = privateFolderIn(folder);
  const at = (name: string): string => path.join(inside, name);
  mkdirSync(inside, { recursive: true, mode: 0o700 });
  const mountPoint = path.join(folder, 'disk');
  mkdirSync(mountPoint);
  for (const [name, bytes] of [
    ['image', diskBytes],
    // A hole: larger than all writes of a run.
    ['writes', 2 ** 36],
  ] as const) {
    const file = openSync(at(name), 'wx', 0o600);
    ftruncateSync(file, bytes);
    closeSync(file);
  }
  const node = (options: object): string[] => ['--blockdev', JSON.stringify(options)];
  try {
    const daemon = startDaemon(
      [
        'qemu-storage-daemon',
        ...node({ driver: 'file', 'node-name': 'image', filename: at('image') }),
        ...node({ driver: 'file', 'node-name': 'writes', filename: at('writes') }),
        ...node({ driver: 'blklogwrites', 'node-name': 'disk', file: 'image', log: 'writes', 'log-sector-size': 512 }),
        ...['--nbd-server', JSON.stringify({ addr: { type: 'unix', path: at('nbd') }, 'max-connections': 100 })],
        ...['--export', JSON.stringify({ type: 'nbd', id: 'export', 'node-name': 'disk', name: '', writable: true })],
      ],
      { log: at('qemu.log'), note: at(`qemu${trackedSuffix}`) },
    );
    await waitForDaemon(daemon, 'the disk', () => isListening(at('nbd')), until);
    const exposed = at('exposed');
    await exposeAsFile(at('nbd'), exposed, { log: at('nbdfuse.log'), note: at(`nbdfuse${trackedSuffix}`) }, until);
    await mountAsFileSystem(exposed, mountPoint, until);
  } catch (error) {
    await releaseVolumes(folder);
    throw error;
  }
  return { mountPoint, log: new WriteLog(at('writes')), close: () => releaseVolumes(folder) };
}

/** A socket has its name before anybody listens. The flag of one that accepts connections is from Linux' net.h. */
function isListening(socket: string): boolean {
  const sockets = readFileSync('/proc/net/unix', 'utf8').split('\n');
  return sockets.some((line) => line.endsWith(` ${socket}`) && line.split(' ')[3] === '00010000');
}
