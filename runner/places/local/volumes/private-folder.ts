import path from 'node:path';
import { namesIn } from '../../../files/look.ts';
import { noteSuffix } from '../../../process/noted.ts';

const name = 'd';
const monitorSuffix = '.qmp';

/** Bytes that a socket's name takes in its address, after the path of the volumes' folder. */
export const socketNameBytes = `/${name}/99${monitorSuffix}`.length;

/**
 * Folder for all files of the volumes except their mount points. No other user may enter it, whatever the umask:
 * anybody who reaches the sockets of a root daemon can read every file of the machine.
 */
export function privateFolderIn(volumes: string): string {
  return path.join(volumes, name);
}

/**
 * Files of the storage daemon of a volume: the socket of its monitor, and the note of its process.
 *
 * @param number used as a short name, because the address of a socket holds at most 107 bytes
 */
export function monitorFiles(volumes: string, number: string): { qmpSocket: string; qmpNote: string } {
  const qmpSocket = path.join(privateFolderIn(volumes), `${number}${monitorSuffix}`);
  return { qmpSocket, qmpNote: `${qmpSocket}${noteSuffix}` };
}

/** The same for every storage daemon that was started; empty if there is no such folder. */
export function monitorsIn(volumes: string): ReturnType<typeof monitorFiles>[] {
  return namesIn(privateFolderIn(volumes))
    .filter((file) => file.endsWith(monitorSuffix))
    .map((file) => monitorFiles(volumes, file.slice(0, -monitorSuffix.length)));
}
