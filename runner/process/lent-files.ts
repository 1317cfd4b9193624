import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { realPath } from '../files/look.ts';
import { largestCopy, readFileWhole, readStream, writeStream } from '../files/read.ts';
import { plainEnvironment, reducedRights } from './rights.ts';
import { runCommand } from './run-command.ts';

/**
 * Copies files for another user: a file `/a/b` to `b` in the folder `a` of `to`, so that all of them lead to each other
 * by the same relative paths. Large ones are linked to, if the user can read them. The program itself says what it does
 * not find.
 *
 * @param files absolute paths of files and folders; folders are made, and stay empty but for files of the list
 * @param to new folder, in one that only we may write to
 * @param give makes the other user the owner
 */
export async function lendFiles(
  files: readonly string[],
  to: string,
  give: (made: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const folders = new Set<string>();
  function makeFolders(folder: string): void {
    if (folders.has(folder)) return;
    if (folder !== to) makeFolders(path.dirname(folder));
    mkdirSync(folder, { mode: 0o700 });
    folders.add(folder);
  }
  makeFolders(to);
  for (const file of new Set(files.map((one) => path.resolve(one)))) {
    const copy = path.join(to, file);
    const found = statSync(file, { throwIfNoEntry: false });
    makeFolders(found?.isDirectory() ? copy : path.dirname(copy));
    if (!found || found.isDirectory()) continue;
    if (found.size <= largestCopy) writeFileSync(copy, readFileWhole(file), { mode: 0o600 });
    else if (await canRead(realPath(file), signal)) symlinkSync(realPath(file), copy);
    else await pipeline(readStream(file), writeStream(copy, { mode: 0o600 }), { signal });
    give(copy);
  }
  // Innermost first: in a folder that is the user's, somebody could lay links.
  for (const folder of [...folders].reverse()) give(folder);
}

/** Whether programs of an experiment can read a file at its own path. */
async function canRead(file: string, signal: AbortSignal): Promise<boolean> {
  const { prefix, spawnAs } = await reducedRights();
  const command = [...prefix, '/bin/sh', '-c', 'test -r "$1"', 'sh', file];
  return (await runCommand(command, { ...spawnAs, cwd: '/', environment: plainEnvironment, signal })).exitCode === 0;
}
