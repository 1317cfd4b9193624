import path from 'node:path';
import { UserError } from '../../../contract/errors.ts';
import { makeFolder, makeUniqueFolder, move, removeTree } from '../../../files/change.ts';
import { exists, namesIn } from '../../../files/look.ts';
import { demandCommand } from '../../../process/run-command.ts';

/** What makes a folder one of HammerDB. */
export const mainProgram = 'hammerdbcli';

/**
 * Unpacks an archive, unless it is there already. Another run may do the same at the same time: the folder appears whole.
 *
 * @param cache folder for what is unpacked; only we can enter it
 * @param key another one for each archive
 * @param provide puts the archive into the given file, or returns another one that is it
 * @param signal ends it, with its reason
 * @returns the folder of HammerDB
 * @throws {UserError} if it is no archive, or HammerDB is not in it
 */
export async function unpackOnce(
  cache: string,
  key: string,
  provide: (file: string) => Promise<string>,
  signal: AbortSignal,
): Promise<string> {
  makeFolder(cache, 0o700);
  const kept = path.join(cache, key);
  if (!exists(kept)) {
    const making = makeUniqueFolder(path.join(cache, 'unpacking-'));
    try {
      const archive = await provide(path.join(making, 'archive.tar.gz'));
      const inside = path.join(making, 'inside');
      makeFolder(inside, 0o700);
      await unpack(archive, inside, signal);
      installIn(inside, archive);
      if (!exists(kept)) move(inside, kept);
    } finally {
      removeTree(making);
    }
  }
  return installIn(kept, kept);
}

async function unpack(archive: string, folder: string, signal: AbortSignal): Promise<void> {
  try {
    await demandCommand(
      ['tar', '--extract', '--gzip', '--no-same-owner', `--file=${archive}`, `--directory=${folder}`],
      { signal },
    );
  } catch (error) {
    signal.throwIfAborted();
    throw new UserError(
      `${archive} cannot be unpacked (${error instanceof Error ? error.message : String(error)}). Expected a release of HammerDB for Linux, as .tar.gz.`,
      { cause: error },
    );
  }
}

/** The folder with the program: releases have one folder, named by the version. */
function installIn(folder: string, archive: string): string {
  const candidates = [folder, ...namesIn(folder).map((name) => path.join(folder, name))];
  const found = candidates.find((one) => exists(path.join(one, mainProgram)));
  if (found !== undefined) return found;
  throw new UserError(`${archive} holds no ${mainProgram}. Expected a release of HammerDB for Linux.`);
}
