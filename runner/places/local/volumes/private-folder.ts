import path from 'node:path';
import { namesIn } from '../../../files/look.ts';
import { noteSuffix } from '../../../process/noted.ts';

const name = 'd';
const monitorSuffix = '.qmp';

/** Bytes that the names of the sockets need in a socket's address, after the path of the folder of the volumes. */
export const socketNameBytes = `/${name}/99${monitorSuffix}`.length;

/**
 * Folder for everything of the volumes except their mount points. Nobody else may enter it, whatever the umask: who reaches
 * the sockets of a root daemon reads every file of the machine.
 */
export function privateFolderIn(volumes: string): string {
  return path.join(volumes, name);
}

/**
 * Files of the storage daemon of a volume: the socket of its monitor, and the note of its process.
 *
 * @param number a short one as the name, because the address of a socket holds no more than 107 bytes
 */
export function monitorFiles(volumes: string, number: string): { qmpSocket: string; qmpNote: string } {
  const qmpSocket = path.join(privateFolderIn(volumes), `${number}${monitorSuffix}`);
  return { qmpSocket, qmpNote: `${qmpSocket}${noteSuffix}` };
}

/** The same of every storage daemon that was started; none if there is no such folder. */
export function monitorsIn(volumes: string): ReturnType<typeof monitorFiles>[] {
  return namesIn(privateFolderIn(volumes))
    .filter((file) => file.endsWith(monitorSuffix))
    .map((file) => monitorFiles(volumes, file.slice(0, -monitorSuffix.length)));
}
