import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { notedIn } from '../../process/noted.ts';

const onLinux = existsSync('/proc/self/stat');

/** Programs that may be at work in the folders of a run: a server, and what makes its data folder. */
const programs = ['postgres', 'initdb'];

/**
 * Ids of a run's processes of PostgreSQL: its servers, by the notes of their starts, and on Linux whatever of PostgreSQL has
 * its working folder in the run's. A server's processes have that, and may outlive the one that was started.
 *
 * @param folder of the run
 * @param notes folder with the notes of its servers
 */
export function postgresProcessesOf(folder: string, notes: string): number[] {
  return [...new Set([...notedIn(notes).map(({ pid }) => pid), ...(onLinux ? workingIn(folder) : [])])];
}

/** By what the kernel says of program and folder: what a command line says is up to the process. */
function workingIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return (
          programs.includes(path.basename(linkOf(`/proc/${pid}/exe`))) &&
          `${linkOf(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
        );
      } catch {
        // The process ended in the meantime, or we may not look at it.
        return false;
      }
    })
    .map(Number);
}

function linkOf(file: string): string {
  return readlinkSync(file).replace(/ \(deleted\)$/, '');
}
