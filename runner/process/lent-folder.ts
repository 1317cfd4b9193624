import { chmod, chown, lstat, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';
import { kindOf } from '../files/look.ts';
import { inFolder, type OpenFolder } from '../files/open-folder.ts';
import { serverUser } from './rights.ts';

/**
 * Lends a folder of ours to the programs of `use`, as their working folder: they may write there, and need not reach it
 * by its path. Afterwards, the folder and its files are ours again. We follow no link there, and take no file that has
 * another name elsewhere.
 *
 * @param root an existing folder
 * @param name of the folder in it, which is made if it is missing
 * @throws {UserError} if they have left anything other than ordinary files
 */
export async function withLentFolder<T>(root: string, name: string, use: (folder: string) => Promise<T>): Promise<T> {
  return inFolder(root, [name], { make: true }, async (folder) => {
    const { uid, gid, mode } = await stat(folder.at);
    const { uid: another, gid: group = gid } = serverUser().spawnAs;
    if (another !== undefined) await chown(folder.at, another, group);
    const takeBack = async (): Promise<void> => {
      if (another !== undefined) {
        await chown(folder.at, uid, gid);
        // From now on, nobody else may put anything there.
        await chmod(folder.at, mode & 0o777);
      }
      for (const file of await ordinaryFiles(folder)) {
        if (another === undefined) continue;
        await chown(file, uid, gid);
        await chmod(file, mode & 0o666);
      }
    };
    let result: T;
    try {
      result = await use(folder.path);
    } catch (error) {
      // What went wrong first is the cause.
      await takeBack().catch(() => undefined);
      throw error;
    }
    await takeBack();
    return result;
  });
}

async function ordinaryFiles({ at, path: named }: OpenFolder): Promise<string[]> {
  const files = (await readdir(at)).map((name) => path.join(at, name));
  for (const file of files) {
    const found = await lstat(file);
    if (found.isFile() && found.nlink === 1) continue;
    const what = found.isFile() ? 'a file with several names' : kindOf(found);
    throw new UserError(
      `${path.join(named, path.basename(file))} is ${what}. Let the load write only files there, or leave it alone.`,
    );
  }
  return files;
}
