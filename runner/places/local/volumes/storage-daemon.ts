import { closeSync, constants, openSync } from 'node:fs';
import { connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import * as z from 'zod';
import { PartError } from '../../../contract/errors.ts';
import { type Daemon, type DaemonFiles, startDaemon, waitForDaemon } from './daemon.ts';
import { limitsIn, type VolumeRequest } from './volume.ts';

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

/** Changes the limits of a running daemon, without losing I/O in progress. */
export async function setLimits(qmpSocket: string, limits: ThrottleLimits): Promise<void> {
  try {
    await executeQmp(qmpSocket, 'qom-set', { path: '/objects/limits', property: 'limits', value: limits });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new PartError(`The limits of a volume could not be set, because its storage daemon does not answer: ${why}`, {
      failure: 'volume-failed',
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
 * Whether the file can be opened for direct I/O. Not every file system allows it: tmpfs before Linux 6.6 refuses. That
 * does no harm, because files in memory have no cache to bypass.
 */
function opensDirect(file: string): boolean {
  try {
    closeSync(openSync(file, constants.O_RDWR | constants.O_DIRECT));
    return true;
  } catch {
    return false;
  }
}

const timeoutMilliseconds = 5000;

/**
 * Sends one command to a QEMU process over its QMP socket, and returns QEMU's answer. Each command uses its own
 * connection: the monitor serves one client at a time, and an open connection would keep out a later clean-up.
 *
 * @throws the system's error if no process listens; an Error with QEMU's message if QEMU refuses the command
 */
export async function executeQmp(
  socketPath: string,
  command: string,
  commandArguments: Record<string, unknown> = {},
): Promise<unknown> {
  const socket = connect(socketPath);
  addAbortSignal(AbortSignal.timeout(timeoutMilliseconds), socket);
  socket.setEncoding('utf8');
  try {
    // QEMU reads one command after another, so there is no need to wait for its greeting.
    socket.write('{"execute":"qmp_capabilities"}\n');
    socket.write(`${JSON.stringify({ execute: command, arguments: commandArguments, id: command })}\n`);
    for await (const message of qmpMessages(socket)) {
      if (message.error) throw new Error(`QEMU rejected ${command}: ${message.error.desc}`);
      if (message.id === command) return message.return;
    }
    throw new Error(`QEMU closed the connection before it answered ${command}`);
  } finally {
    socket.destroy();
  }
}

/** A message from QEMU. The greeting and events have neither id nor error. */
const messageSchema = z.object({
  id: z.string().optional(),
  return: z.unknown().optional(),
  error: z.object({ desc: z.string() }).optional(),
});
type QmpMessage = z.output<typeof messageSchema>;

/** Splits the stream into messages: QMP writes one JSON object on each line, and chunks may end anywhere. */
export async function* qmpMessages(chunks: AsyncIterable<string>): AsyncGenerator<QmpMessage> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() !== '') yield messageSchema.parse(JSON.parse(line));
    }
  }
}

/** The part of QEMU's ThrottleLimits that we use; 0 means no limit. */
export interface ThrottleLimits {
  'iops-total': number;
  /** Bytes per second. */
  'bps-total': number;
  /** An I/O of more bytes than this counts as several. Only allowed together with an IOPS limit. */
  'iops-size': number;
}

/** Amazon EBS counts I/O on SSD volumes in units of up to 256 KiB (EBS user guide, "I/O characteristics"). */
const countedBytes = 262_144;

export const noLimits: ThrottleLimits = { 'iops-total': 0, 'bps-total': 0, 'iops-size': 0 };

/** The limits with every key, since QEMU does not change those that are left out. */
export function throttleLimits(request: VolumeRequest): ThrottleLimits {
  const { iops, bytesPerSecond = 0 } = limitsIn(request);
  return {
    'iops-total': iops ?? 0,
    'bps-total': Math.round(bytesPerSecond),
    'iops-size': iops === undefined ? 0 : countedBytes,
  };
}

export function isLimited(request: VolumeRequest): boolean {
  return Object.keys(limitsIn(request)).length > 0;
}
