import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { hasCode, nameFile, UserError } from '../contract/errors.ts';
import { kindOf } from './kind.ts';
import { inFolder, type KnownFolder } from './open-folder.ts';

/** Who else may read what is written: `everybody` as far as the umask allows, as with results that are handed on. */
export type Readers = 'everybody' | 'owner';

/**
 * Writes a file completely or not at all: under a name that nobody can foresee, and then in the place of what has its name.
 * No symbolic link below `root` is followed, and nothing of what was there (owner, permissions, other names of it) is kept.
 *
 * @param root the folder that is written to
 * @param name of the file in it, such as `trials/001/trial.json`; folders that are missing are made
 * @throws {UserError} if something else than a file has this name, or leads there; if the path of a known root leads elsewhere
 *   by now
 * @throws the system's error, with the file's name
 */
export async function writeFileIn(
  root: string | KnownFolder,
  name: string,
  data: string | Uint8Array,
  { readers = 'everybody' }: { readers?: Readers } = {},
): Promise<void> {
  const [file = '', ...folders] = name.split(path.sep).reverse();
  if (file === '' || file === '..' || folders.includes('..')) throw new Error(`${name} leads out of its folder`);
  await inFolder(root, folders.reverse(), { make: true }, async (folder) => {
    const named = path.join(folder.path, file);
    try {
      await demandReplaceable(path.join(folder.at, file), named);
      await writeAndRename({ folder: folder.at, file }, data, readers === 'owner' ? 0o600 : 0o666);
    } catch (error) {
      throw error instanceof UserError ? error : nameFile(error, named);
    }
  });
}

async function writeAndRename(
  { folder, file }: { folder: string; file: string },
  data: string | Uint8Array,
  mode: number,
): Promise<void> {
  const making = path.join(folder, `.${randomBytes(9).toString('base64url')}.writing`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await open(making, flags, mode);
  try {
    try {
      await handle.writeFile(data);
      // Otherwise a crash of the machine may leave the new name with nothing in it.
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(making, path.join(folder, file));
  } catch (error) {
    await rm(making, { force: true });
    throw error;
  }
}

/** @throws {UserError} if something lies there that is no file: somebody has put it there, and we do not know what for */
async function demandReplaceable(file: string, named: string): Promise<void> {
  try {
    const found = await lstat(file);
    if (!found.isFile()) throw new UserError(`${named} is ${kindOf(found)}, and is not written to. Remove it.`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
