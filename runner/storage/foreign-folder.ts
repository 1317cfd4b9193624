import { lstatSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../contract/errors.ts';

const othersMayWrite = 0o002;

/**
 * Refuses a folder that somebody else has laid where everybody may: its owner could put symbolic links in it, and we would
 * write through them. The folder around it, if not everybody may write there, was made or given by who may decide this.
 *
 * @param folder path of a folder that exists, or of a symbolic link to it
 * @throws {UserError} if it is not of this user, of root, or of the owner of the folder around it
 */
export function refuseForeignFolder(folder: string): void {
  const around = lstatSync(path.dirname(folder));
  const { uid } = lstatSync(folder);
  if ((around.mode & othersMayWrite) === 0 || [process.getuid?.(), 0, around.uid].includes(uid)) return;
  throw new UserError(
    `${folder} belongs to another user (id ${uid}), who could lead what is written there elsewhere. Remove it, or choose another folder (--out).`,
  );
}
